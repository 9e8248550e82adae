"""Settings of the documentation site: `make docs` builds it into ``site/``."""

from __future__ import annotations

import os
import sys
import textwrap
import warnings
from importlib import metadata
from pathlib import Path

from sphinx_gallery.sorting import ExplicitOrder

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
# Examples may not write a progress line for terminals into the pages.
os.environ.setdefault("NO_COLOR", "1")

project = "ARCS"
author = "the ARCS developers"
copyright = "the ARCS developers, BSD-3-Clause"
release = metadata.version("arcs-bn")
version = release

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    # our own, in _ext
    "api_pages",
    "command_pages",
    "mathml",
    "run_blocks",
    "setting_pages",
]
exclude_patterns = ["_ext", "_made", "_templates", "figures", "**/README.md"]
templates_path = ["_templates"]
root_doc = "index"
language = "en-GB"
suppress_warnings = ["config.cache"]

# --- text -------------------------------------------------------------------------------------
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
html_math_renderer = "mathml"

# --- reference --------------------------------------------------------------------------------
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# --- tutorials --------------------------------------------------------------------------------
TUTORIALS = [
    "ugly_table.py",
    "paper_in_ten_lines.py",
    "trust.py",
    "experiments.py",
    "effects.py",
    "knowledge.py",
    "sachs.py",
    "categories.py",
    "large.py",
]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "tutorials",
    "filename_pattern": r"\.py$",
    "within_subsection_order": ExplicitOrder([*TUTORIALS, "*"]),
    "image_scrapers": ("gallery_pictures.matplotlib_axes",),
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "ignore_repr_types": r"matplotlib|NotebookFigure",  # the picture says more than "<Axes: >"
    "write_computation_times": False,  # its pages load scripts from elsewhere
    "plot_gallery": "True",
    "copyfile_regex": r".*\.csv",
}
# A picture that nobody shows is no reason for a warning in the text of a tutorial.
warnings.filterwarnings("ignore", message=".*non-interactive.*", category=UserWarning)


def _shown_warning(
    message: Warning | str, category: type[Warning], *where: object, **more: object
) -> str:
    """A warning as readers need it: not where on the machine of the build it came from."""
    return textwrap.fill(f"{category.__name__}: {message}", 79) + "\n"


warnings.formatwarning = _shown_warning

# --- looks: nothing is fetched from elsewhere when a page is read ------------------------------
html_theme = "pydata_sphinx_theme"
html_title = "ARCS"
html_static_path = ["_static"]
html_css_files = ["site.css"]
# Reports that the directive {run} keeps; the folder is there before it is looked for.
(Path(__file__).parent / "_made" / "pages").mkdir(parents=True, exist_ok=True)
html_extra_path = ["_made/pages"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "ARCS"},
    "navbar_end": ["theme-switcher"],
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 7,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": [], "start": []}
