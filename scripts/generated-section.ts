/** A part of a document that is made from the code: it stands between two comments, and the rest is written by hand. */
export function replaceSection(document: string, name: string, text: string): string {
  const [start, end] = [`<!-- generated: ${name} -->`, `<!-- end of ${name} -->`]
  const [before, rest, ...more] = document.split(start)
  const [, after, ...others] = rest?.split(end) ?? []
  if (before === undefined || after === undefined || more.length + others.length > 0)
    throw new Error(`the document must hold "${start}" and "${end}" once each`)
  return `${before}${start}\n\n${text}\n\n${end}${after}`
}
