#!/usr/bin/env python3
"""Draws the curves of an energy table (CSV: time and one column a kind of energy, J) as a PNG. Standard library alone.

    scripts/plot_energy.py ENERGY.csv PICTURE.png
"""
import csv
import struct
import sys
import zlib

WIDTH, HEIGHT, SCALE = 960, 540, 2  # drawn at twice the size and averaged, so that lines are smooth
LEFT, RIGHT, TOP, BOTTOM = 76, 176, 34, 46
COLORS = [(31, 119, 180), (44, 140, 44), (148, 103, 189), (214, 100, 20), (20, 20, 20), (140, 86, 75)]

# 5 x 7 letters, one string of rows a letter, a row a number whose lowest bit is the right column
GLYPHS = {
    "0": "14 17 19 21 25 17 14", "1": "4 12 4 4 4 4 14", "2": "14 17 1 2 4 8 31", "3": "31 2 4 2 1 17 14",
    "4": "2 6 10 18 31 2 2", "5": "31 16 30 1 1 17 14", "6": "6 8 16 30 17 17 14", "7": "31 1 2 4 8 8 8",
    "8": "14 17 17 14 17 17 14", "9": "14 17 17 15 1 2 12", "-": "0 0 0 31 0 0 0", ".": "0 0 0 0 0 12 12",
    "(": "2 4 8 8 8 4 2", ")": "8 4 2 2 2 4 8", "a": "0 0 14 1 15 17 15", "b": "16 16 22 25 17 17 30",
    "c": "0 0 14 16 16 17 14", "d": "1 1 13 19 17 17 15", "e": "0 0 14 17 31 16 14", "f": "6 9 8 28 8 8 8",
    "g": "0 15 17 17 15 1 14", "h": "16 16 22 25 17 17 17", "i": "4 0 12 4 4 4 14", "j": "2 0 6 2 2 18 12",
    "k": "16 16 18 20 24 20 18", "l": "12 4 4 4 4 4 14", "m": "0 0 26 21 21 17 17", "n": "0 0 22 25 17 17 17",
    "o": "0 0 14 17 17 17 14", "p": "0 0 30 17 30 16 16", "q": "0 0 13 19 15 1 1", "r": "0 0 22 25 16 16 16",
    "s": "0 0 14 16 14 1 30", "t": "8 8 28 8 8 9 6", "u": "0 0 17 17 17 19 13", "v": "0 0 17 17 17 10 4",
    "w": "0 0 17 17 21 21 10", "x": "0 0 17 10 4 10 17", "y": "0 0 17 17 15 1 14", "z": "0 0 31 2 4 8 31",
    "J": "7 2 2 2 2 18 12", "+": "0 4 4 31 4 4 0", " ": "0 0 0 0 0 0 0", ",": "0 0 0 0 12 4 8",
}


class Picture:
    def __init__(self):
        self.width, self.height = WIDTH * SCALE, HEIGHT * SCALE
        self.pixels = bytearray(b"\xff" * (3 * self.width * self.height))

    def fill(self, x0, y0, x1, y1, color):
        x0, x1 = max(0, int(x0)), min(self.width, int(x1))
        for y in range(max(0, int(y0)), min(self.height, int(y1))):
            self.pixels[3 * (y * self.width + x0):3 * (y * self.width + x1)] = bytes(color) * max(0, x1 - x0)

    def line(self, x0, y0, x1, y1, color, thickness):
        steps = max(1, int(max(abs(x1 - x0), abs(y1 - y0))))
        for k in range(steps + 1):
            x, y = x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps
            self.fill(x - thickness / 2, y - thickness / 2, x + thickness / 2, y + thickness / 2, color)

    def text(self, x, y, text, color=(60, 60, 60), size=4):
        for letter in text:
            for row, bits in enumerate(GLYPHS.get(letter, GLYPHS["-"]).split()):
                for column in range(5):
                    if int(bits) >> (4 - column) & 1:
                        self.fill(x + size * column, y + size * row, x + size * (column + 1), y + size * (row + 1), color)
            x += 6 * size

    def save(self, path):
        rows = bytearray()
        for y in range(HEIGHT):
            rows.append(0)
            a, b = (self.pixels[3 * self.width * (SCALE * y + k):3 * self.width * (SCALE * y + k + 1)] for k in (0, 1))
            for x in range(0, 3 * self.width, 6):
                rows.extend((a[x + c] + a[x + 3 + c] + b[x + c] + b[x + 3 + c] + 2) // 4 for c in range(3))

        def chunk(kind, data):
            body = kind + data
            return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

        with open(path, "wb") as out:
            out.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)))
            out.write(chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b""))


def ticks(low, high):
    """About six round numbers between low and high."""
    step = 10 ** len(str(int((high - low) / 6))) / 10 if high - low >= 6 else 0.1
    while (high - low) / step > 8:
        step *= 2 if str(step)[0] in "15" else 2.5
    first = int(low / step) - 1
    return [k * step for k in range(first, first + 20) if low <= k * step <= high]


def draw(table, path):
    names = table[0]
    rows = [[float(value) for value in row] for row in table[1:]]
    low = min(min(row[1:]) for row in rows)
    high = max(max(row[1:]) for row in rows)
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)
    end = rows[-1][0]
    picture = Picture()

    def place(t, value):
        x = LEFT + (WIDTH - LEFT - RIGHT) * t / end
        y = TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)
        return SCALE * x, SCALE * y

    for value in ticks(low, high):
        (x0, y), (x1, _) = place(0, value), place(end, value)
        picture.line(x0, y, x1, y, (225, 225, 225), 2)
        label = "%g" % value
        picture.text(x0 - 24 * len(label) - 14, y - 14, label)
    for value in ticks(0, end):
        (x, y0), (_, y1) = place(value, low), place(value, high)
        picture.line(x, y0, x, y1, (225, 225, 225), 2)
        picture.text(x - 12 * len("%g" % value), y0 + 12, "%g" % value)
    picture.text(SCALE * LEFT, SCALE * 10, "energy (J) over time (s)")
    for column in range(1, len(names)):
        color = COLORS[(column - 1) % len(COLORS)]
        for before, after in zip(rows, rows[1:]):
            picture.line(*place(before[0], before[column]), *place(after[0], after[column]), color, 3)
        y = SCALE * (TOP + 24 * column)
        picture.fill(SCALE * (WIDTH - RIGHT + 10), y + 8, SCALE * (WIDTH - RIGHT + 30), y + 16, color)
        picture.text(SCALE * (WIDTH - RIGHT + 36), y, names[column])
    picture.save(path)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="") as source:
        draw([row for row in csv.reader(source) if row], sys.argv[2])


if __name__ == "__main__":
    main()
