"""Text files as people have them."""

import gzip

import numpy as np
import pytest

from arcs.data import Dataset
from arcs.data.delimited import DelimitedFile
from arcs.errors import DataError, FileFormatError, SettingsError

VALUES = np.array([[1.5, -2.25, 3.0], [4.5, 5.0, -6e-3], [0.0, 1e5, 2.5], [7.0, 8.5, 9.25]])


def text(delimiter=",", decimal=".", header="a,b,c", end="\n"):
    lines = [header.replace(",", delimiter)]
    for row in VALUES:
        lines.append(delimiter.join(repr(float(x)).replace(".", decimal) for x in row))
    return end.join(lines) + end


@pytest.fixture
def write(tmp_path):
    def writer(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


@pytest.mark.parametrize(
    "content",
    [
        text(),
        text(";"),
        text("\t"),
        text("|"),
        text(";", ","),
        text("\t", ","),
        text(end="\r\n"),
        text(end="\r"),
        "\ufeff" + text(),
        text().replace("\n", "\n\n") + "\n\n",
        text(header='"a","b","c"'),
        text(header="a, b, c"),
        text().replace("1.5", '"1.5"'),
        text().replace(",", " , "),
        text().rstrip("\n"),
        text().encode("utf-16"),
        gzip.compress(text().encode(), mtime=0),
    ],
)
@pytest.mark.parametrize("in_memory", [True, False])
def test_tables_are_understood(write, content, in_memory):
    data = Dataset.from_file(write(content), in_memory=in_memory, chunk_rows=3)
    assert data.names == ("a", "b", "c")
    if in_memory:
        np.testing.assert_array_equal(data.values, VALUES)
    else:
        expected = Dataset.of(VALUES).statistics()
        np.testing.assert_allclose(data.statistics().gram(0), expected.gram(0), atol=1e-13)


def test_tabs_by_suffix_and_delimiter_by_hand(write):
    assert Dataset.from_file(write(text("\t"), "x.tsv")).p == 3
    assert Dataset.from_file(write(gzip.compress(text("\t").encode(), mtime=0), "x.tsv.gz")).p == 3
    assert Dataset.from_file(write(text(":")), delimiter=":").p == 3
    with pytest.raises(SettingsError, match="single character, got 5"):
        Dataset.from_file(write(text()), delimiter=5)
    with pytest.raises(SettingsError, match="single character, got ', '"):
        Dataset.from_file(write(text()), delimiter=", ")


def test_names_with_delimiters_and_line_breaks(write):
    content = '"a,1","b ""x""","c\nd"\n' + "1,2,3\n4,5,6.5\n7,8,1\n"
    assert Dataset.from_file(write(content)).names == ("a,1", 'b "x"', "c\nd")


def test_missing_cells(write):
    content = "a,b\n1,\nNA,2\nnull,?\n3,nan\n5,6\n1,2\n4,3\n"
    path = write(content)
    with pytest.raises(DataError, match=r"5 values in 2 of 2 columns: 'a' \(2\), 'b' \(3\)"):
        Dataset.from_file(path)
    assert Dataset.from_file(path, missing="drop").values.tolist() == [[5, 6], [1, 2], [4, 3]]


def test_labels_and_exclusion(write):
    content = "id,a,b,who\nq,1,2,a\nr,3,4.5,\ns,0,1,b\nt,1,1,none\n"
    path = write(content)
    data = Dataset.from_file(path, interventions="who", exclude=["id"])
    assert data.names == ("a", "b")
    assert data.interventions.mask.tolist() == [[1, 0], [0, 0], [0, 1], [0, 0]]
    with pytest.raises(DataError, match="no column 'wo'; did you mean 'who'"):
        Dataset.from_file(path, interventions="wo")
    with pytest.raises(DataError, match="no column 'ID'"):
        Dataset.from_file(path, exclude=["ID"])
    with pytest.raises(DataError, match="no columns are left"):
        Dataset.from_file(path, exclude=["id", "a", "b", "who"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("\n\n  \n", "the file is empty"),
        ("a,b\n", "header but no rows"),
        ("a,b\n1,2\n3,4,5\n6,7\n", "line 3: 3 fields where the header has 2"),
        ("a,b\n1,2\n\n\n3\n", "line 5: 1 fields where the header has 2; is ',' the right"),
        ("a,b\n0,1,2\n1,3,4\n", "line 2: 3 fields .* if the first column is an index"),
        (",a,b\n0,1,2\n1,3,4\n", r"column 0 has an empty name: name it, or leave it out with exc"),
        ("a,b\n1,x y\n", r"line 2: column 'b' holds 'x y', which is not a number\. Leave .*'b'"),
        ("a,b\n1,2\n1,2020-01-05\n", "line 3: column 'b' holds '2020-01-05'"),
        ('a,b\n1,"2,5"\n', "line 2: column 'b' holds '2,5'.*a decimal comma"),
        ("a,b\n1,5,2,5\n2,5,3,5\n", "line 2: 4 fields .* with decimal commas, separate"),
        ("a,b\n1_000,2\n", "'1_000', which is not a number"),
        ("1,2\n3,4\n", "line 1: the file has no header"),
        ("a,a\n3,4\n", "columns 0 and 1 have the same name 'a'"),
        ("a:b\n1:2\n", "line 2: column 'a:b' holds '1:2'"),
        ('a,b\n1,2\n"3,4\n' + "5,6\n" * 1000, "line 3: a quotation mark is opened and not cl"),
        ("<!DOCTYPE html>\n<p>Not found</p>\n", "line 2: column '<!DOCTYPE html>' holds '<p>"),
        ('{"a": [1, 2],\n "b": [3, 4]}\n', "."),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "not UTF-8 text"),
        (b"\x00\x01\x02,\x00\n", "not a text file"),
        ("a,b\n1,2\n3,é\n".encode("latin-1"), "after line .*not UTF-8 text"),
        (b"PK\x03\x04rest", "looks like a ZIP or Excel file"),
        (b"PAR1rest", "use the suffix .parquet"),
        (gzip.compress(text().encode(), mtime=0)[:-12], "cannot be read"),
        (
            gzip.compress(text().encode(), mtime=0)[:12] + b"garbage garbage garbage",
            "cannot be read",
        ),
        ("a,b\n1," + "x" * 200_000 + "\n", "field larger than field limit"),
        ("x" * 200_000 + ",b\n1,2\n", "not a table of text"),
    ],
)
@pytest.mark.parametrize("in_memory", [True, False])
def test_damaged_files_are_refused_with_line_and_hint(write, content, message, in_memory):
    with pytest.raises((DataError, FileFormatError), match=message):
        Dataset.from_file(write(content), in_memory=in_memory).statistics()


def test_absent_files_and_folders(tmp_path):
    with pytest.raises(FileFormatError, match="no such file"):
        Dataset.from_file(tmp_path / "none.csv")
    with pytest.raises(FileFormatError, match="no Parquet files"):
        Dataset.from_file(tmp_path)


def test_an_index_column_can_be_left_out(write):
    data = Dataset.from_file(write(",a,b\n0,1,2\n1,3,4\n2,0,1\n"), exclude=[""])
    assert data.names == ("a", "b")


def test_line_numbers_count_blank_and_quoted_lines(write):
    content = 'a,"b\nc"\n\n1,2\n\n"3",x\n'
    with pytest.raises(DataError, match="line 6: column 'b\\\\nc' holds 'x'"):
        Dataset.from_file(write(content))


def test_the_careful_reader_agrees_with_the_quick_one(write):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 4)) * 10.0 ** rng.integers(-8, 8, (200, 4))
    lines = ["a,b,c,d", *(",".join(map(repr, row)) for row in values.tolist())]
    file = DelimitedFile.open(write("\n".join(lines)))
    quick = np.concatenate([block for block, _ in file.chunks([3, 0], size=64)])
    careful = np.concatenate([block for block, _ in file.chunks([3, 0], texts=[1], size=64)])
    np.testing.assert_array_equal(quick, values[:, [3, 0]])
    np.testing.assert_array_equal(careful, quick)
