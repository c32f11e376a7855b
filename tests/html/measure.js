// What is wrong with the page as it is laid out now: a list of lines, empty where nothing is.
(() => {
  const wrong = [];
  const tell = (what, element, more) => {
    const text = (element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 60);
    if (wrong.length < 40) wrong.push(`${what}: <${element.tagName.toLowerCase()} ${element.className}> "${text}" ${more}`);
  };
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width)
    wrong.push(`the page is ${document.documentElement.scrollWidth} pixels wide, the window ${width}`);

  // Texts, each with the boxes of its lines.
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, element = node.parentElement;
    if (!node.data.trim() || element.closest(".skip,style,script")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects())
      if (box.width > 0 && box.height > 0) texts.push({ element, box, region: element.closest(".scroll") });
  }
  if (texts.length < 20) wrong.push(`only ${texts.length} texts can be seen`);

  for (const { element, box, region } of texts)
    if (!region && (box.left < -0.5 || box.right > width + 0.5))
      tell("runs out of the page", element, `from ${box.left.toFixed(1)} to ${box.right.toFixed(1)} of ${width}`);
  for (const region of document.querySelectorAll(".scroll")) {
    const box = region.getBoundingClientRect();
    if (box.width > 0 && box.right > width + 0.5) tell("a scrolled region runs out of the page", region, "");
    if (region.tabIndex !== 0 || !region.getAttribute("aria-label")) tell("cannot be scrolled by keyboard", region, "");
  }

  // Lines of text may touch, not cover each other. A heading that stays while its table scrolls covers it by purpose.
  texts.sort((a, b) => a.box.top - b.box.top);
  for (let i = 0; i < texts.length; ++i)
    for (let j = i + 1; j < texts.length && texts[j].box.top < texts[i].box.bottom; ++j) {
      const a = texts[i], b = texts[j];
      if (a.element === b.element) continue;
      if (a.region && a.region === b.region && (a.element.closest("th") || b.element.closest("th"))) continue;
      if (a.region !== b.region && (a.region || b.region)) {
        // What is scrolled out of sight covers nothing.
        const frame = (a.region || b.region).getBoundingClientRect(), inner = a.region ? a.box : b.box;
        if (inner.right > frame.right || inner.left < frame.left) continue;
      }
      const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (across > 1 && down > 0.35 * Math.min(a.box.height, b.box.height))
        tell("covers another text", a.element, `/ "${b.element.textContent.trim().slice(0, 40)}"`);
    }

  // Contrast of text and ground, as WCAG 2 counts it.
  const parse = (color) => (color.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const light = ([r, g, b]) => {
    const part = [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  for (const element of new Set(texts.map((text) => text.element))) {
    const a = light(parse(getComputedStyle(element).color)), b = light(ground(element));
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) tell("is too pale", element, contrast.toFixed(2));
  }

  // Fingers need 24 pixels.
  for (const element of document.querySelectorAll("nav a, summary")) {
    const box = element.getBoundingClientRect();
    if (box.height > 0 && box.height < 24) tell("is too small for a finger", element, `${box.height} pixels`);
  }
  for (const bar of document.querySelectorAll(".fill,.dot,.mark,.col")) {
    const box = bar.getBoundingClientRect(), frame = bar.parentElement.getBoundingClientRect();
    if (box.width > 0 && (box.right > frame.right + 6 || box.left < frame.left - 6 || box.bottom > frame.bottom + 6))
      tell("runs out of its chart", bar, "");
  }
  return wrong;
})();
