/** Finds the shell blocks of the guides, and what each says about how it is tested. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface CommandBlock {
  /** Like `docs/http.md:12`, the line of its first command. */
  readonly place: string
  readonly text: string
  /** What the comment before it says; absent if `commands.test.ts` runs it. */
  readonly mark?: string
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FENCE = /^( *)```(\w*)$/
const MARK = /^ *<!-- ((?:not run|run by).*) -->$/

export function listGuides(): readonly string[] {
  const inside = (folder: string) =>
    readdirSync(`${ROOT}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`)
  const top = readdirSync(ROOT).filter((name) => name.endsWith('.md'))
  return [...top, ...['docs', 'packages', 'examples', 'bench', 'deploy'].flatMap(inside)].sort()
}

export function readGuide(path: string): string {
  return readFileSync(`${ROOT}/${path}`, 'utf8')
}

/** Throws for a block without a language, or with another name for a shell: it could not be found. */
export function readCommands(path: string, guide = readGuide(path)): readonly CommandBlock[] {
  const lines = guide.split('\n')
  const blocks: CommandBlock[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = '', language] = FENCE.exec(lines[at] ?? '') ?? []
    if (language === undefined) continue
    const end = lines.indexOf(`${indent}\`\`\``, at + 1)
    if (end === -1) throw new Error(`${path}:${at + 1}: the block has no end`)
    if (/^(?:bash|shell|zsh|console|shellsession)$/.test(language)) {
      throw new Error(`${path}:${at + 1}: write \`\`\`sh`)
    }
    if (language === 'sh') {
      const before = lines.slice(0, at).findLast((line) => line.trim() !== '') ?? ''
      const text = lines.slice(at + 1, end).map((line) => line.slice(indent.length))
      const mark = MARK.exec(before)?.[1]
      blocks.push({ place: `${path}:${at + 2}`, text: text.join('\n'), ...(mark !== undefined && { mark }) })
    }
    at = end
  }
  return blocks
}
