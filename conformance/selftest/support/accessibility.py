"""What a browser is asked about a page so that everybody can read it."""

from typing import Final

TOO_PALE: Final = """() => {
  const numbers = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => {
    const linear = part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [red, green, blue] = numbers(color).map(part => linear(part / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const behind = element => {
    for (; element; element = element.parentElement) {
      const color = getComputedStyle(element).backgroundColor;
      if ((numbers(color)[3] ?? 1) > 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const pale = [];
  for (const element of document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!hasText || !element.getClientRects().length) continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const [darker, lighter] = [light(style.color), light(behind(element))].sort((one, other) => one - other);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if ((lighter + 0.05) / (darker + 0.05) < (large ? 3 : 4.5)) pale.push(element.outerHTML.slice(0, 120));
  }
  return pale;
}"""
"""Texts whose color differs too little from what lies behind them (WCAG 2.2, 1.4.3): 4.5 to 1, large
ones 3 to 1.
"""
