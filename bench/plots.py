"""Plots as SVG text: bars and lines, the same for the same numbers. No library draws them, so that CI can compare.

Labels are large for the width, since pages are read on telephones too.
"""
import html
import math

BLUE, ORANGE, GREY, GREEN, LIGHT = "#1f5fa8", "#e07b00", "#8a8f98", "#2e8b57", "#9dc3e6"
WIDTH = 560
FONT = "font-family=\"system-ui, 'DejaVu Sans', Arial, sans-serif\""


def number(value):
    """Three figures, as a person writes them."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def text(x, y, what, size=13, anchor="start", color="#1b1b1b", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{color}" '
            f'font-weight="{weight}">{html.escape(str(what))}</text>')


def frame(height, title, body):
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
            f'height="{height:.0f}" {FONT} role="img" aria-label="{html.escape(title)}">')
    return "\n".join([head, f'<rect width="{WIDTH}" height="{height:.0f}" fill="white"/>',
                      text(12, 24, title, 15, weight="bold"), *body, "</svg>"]) + "\n"


def legend(entries, y):
    out, x = [], 12.0
    for name, color in entries:
        wide = 26 + 7.1 * len(name)
        if x + wide > WIDTH:
            x, y = 12.0, y + 20
        out.append(f'<rect x="{x:.1f}" y="{y - 10:.1f}" width="12" height="12" fill="{color}"/>')
        out.append(text(x + 17, y, name, 13))
        x += wide + 8
    return out, y


def bars(title, unit, groups, series, log=False, label_width=140):
    """Horizontal bars. `groups`: [(label, {series: value, or (low, high), or None})]; `series`: [(name, color)].

    With `log` the axis is logarithmic, which its caption says; every bar has its number beside it.
    """
    shown = [v for _, values in groups for v in values.values() if v is not None]
    tops = [v[1] if isinstance(v, tuple) else v for v in shown]
    bottom = 10 ** math.floor(math.log10(min(v[0] if isinstance(v, tuple) else v for v in shown)) - .2) if log else 0
    right = WIDTH - 106

    def at(value):
        share = math.log(value / bottom) / math.log(max(tops) / bottom) if log else value / max(tops)
        return label_width + share * (right - label_width)

    out, y = legend(series, 48) if len(series) > 1 else ([], 34)
    y += 16
    for label, values in groups:
        top = y
        for name, color in series:
            value = values.get(name)
            if value is None:
                continue
            low, high = value if isinstance(value, tuple) else (value, value)
            said = number(high) if number(low) == number(high) else f"{number(low)}–{number(high)}"
            out.append(f'<rect x="{label_width}" y="{y:.1f}" width="{max(at(high) - label_width, 1):.1f}" height="15" '
                       f'fill="{color}"/>')
            out.append(text(at(high) + 5, y + 12, said, 13))
            y += 18
        out.append(text(label_width - 8, (top + y) / 2 + 3, label, 13, "end"))
        y += 9
    out.append(text(12, y + 13, unit + (", logarithmic" if log else ""), 12, color="#555"))
    return frame(y + 24, title, out)


def lines(title, x_title, unit, series, x_labels, top):
    """Lines over equally spaced places; `series`: [(name, color, [value or None])]."""
    left, right, above, below = 46, WIDTH - 20, 66, 300
    out, _ = legend([(name, color) for name, color, _ in series], 48)

    def at(i, value):
        return left + i * (right - left) / max(len(x_labels) - 1, 1), below - value / top * (below - above)

    for step in range(0, 6):
        value = top * step / 5
        _, y = at(0, value)
        out.append(f'<path d="M{left} {y:.1f}H{right}" stroke="#ddd"/>')
        out.append(text(left - 6, y + 4, f"{value:g}", 12, "end"))
    for i, label in enumerate(x_labels):
        anchor = "start" if i == 0 else "end" if i == len(x_labels) - 1 else "middle"
        out.append(text(at(i, 0)[0], below + 18, label, 12, anchor))
    for _, color, values in series:
        points = [at(i, v) for i, v in enumerate(values) if v is not None]
        out.append('<polyline points="' + " ".join(f"{x:.1f},{y:.1f}" for x, y in points) +
                   f'" fill="none" stroke="{color}" stroke-width="2.5"/>')
        out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>' for x, y in points]
    out.append(text(12, below + 42, f"{unit}, by {x_title}", 12, color="#555"))
    return frame(below + 54, title, out)
