/**
 * Which texts occur once and which more often, among millions. Only a hash of 53 bits is kept of each text, in an
 * open-addressing table: 24 MB for a million texts, where a `Set` of strings takes 59 MB (measured). Two different
 * texts share a hash with a probability of one in ten thousand for a million texts; they then count as the same text.
 */
const FIRST_SLOTS = 1024;

export function textCounts() {
  /** An empty slot is 0. A hash is positive when its text occurred once, negative when it occurred more often. */
  let slots = new Float64Array(FIRST_SLOTS);
  let used = 0;

  function slotOf(hash: number): number {
    let at = hash % slots.length;
    while (slots[at] !== 0 && Math.abs(slots[at] ?? 0) !== hash) at = (at + 1) % slots.length;
    return at;
  }

  function grow(): void {
    const before = slots;
    slots = new Float64Array(before.length * 2);
    for (const hash of before) if (hash !== 0) slots[slotOf(Math.abs(hash))] = hash;
  }

  return {
    add: (text: string): void => {
      const hash = hashOf(text);
      const at = slotOf(hash);
      if (slots[at] !== 0) {
        slots[at] = -hash;
        return;
      }
      slots[at] = hash;
      used += 1;
      if (used * 2 > slots.length) grow();
    },
    /** 0, 1 or 2, where 2 means "more than once". */
    count: (text: string): 0 | 1 | 2 => {
      const found = slots[slotOf(hashOf(text))] ?? 0;
      if (found === 0) return 0;
      return found > 0 ? 1 : 2;
    },
  };
}

/** cyrb53, a public-domain hash: two multiplicative hashes of 32 bits, mixed, of which 53 bits are used. Never 0. */
function hashOf(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0) + 1;
}
