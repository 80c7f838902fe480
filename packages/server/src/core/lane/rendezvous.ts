/** Spreads lanes over nodes: every node computes the same order from the same names, and few lanes move when nodes come or go. */
export function rankNodes(key: string, nodeIds: readonly string[]): readonly string[] {
  return nodeIds
    .map((nodeId) => ({ nodeId, weight: hash(`${nodeId}|${key}`) }))
    .sort((a, b) => b.weight - a.weight || (a.nodeId < b.nodeId ? -1 : 1))
    .map(({ nodeId }) => nodeId)
}

/** FNV-1a with a final mix; names differ in few characters, and plain FNV leaves their high bits alike. */
export function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    h ^= text.charCodeAt(i)
    h = Math.imul(h, 0x01000193)
  }
  h ^= h >>> 16
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
