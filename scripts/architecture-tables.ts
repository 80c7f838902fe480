/** The tables of ARCHITECTURE.md: what lives in which folder and package, and what it may import. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { replaceSection } from './generated-section.ts'
import { markdownTable } from './markdown-table.ts'

interface Place {
  readonly holds: string
  readonly mayImport: readonly string[]
}

interface ImportTable {
  readonly FOLDERS: Readonly<Record<string, Place>>
  readonly TESTING: { readonly folder: string; readonly holds: string }
  readonly PACKAGES: Readonly<Record<string, Place>>
  readonly ONLY_KNOWN_TO: Readonly<Record<string, readonly string[]>>
}

export const IMPORT_TABLE: ImportTable = createRequire(import.meta.url)('./import-table.cjs')

export function buildArchitecture(): string {
  const document = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8')
  return replaceSection(replaceSection(document, 'packages', packageTable()), 'folders', folderTable())
}

function folderTable(): string {
  const { FOLDERS, TESTING, ONLY_KNOWN_TO } = IMPORT_TABLE
  const rows = Object.entries(FOLDERS).map(([folder, { holds, mayImport }]) => {
    const known = Object.entries(ONLY_KNOWN_TO).filter(([, folders]) =>
      folders.some((path) => path.split('/')[0] === folder),
    )
    return [`\`${folder}/\``, holds, listOf(mayImport), known.map(([name]) => name).join(', ')]
  })
  const testing = [`\`${TESTING.folder}/\``, TESTING.holds, 'anything; only tests import it', '']
  const headings = ['folder of `packages/server/src`', 'what lives there', 'may import', 'npm packages']
  return markdownTable(headings, [...rows, testing])
}

function packageTable(): string {
  const rows = Object.entries(IMPORT_TABLE.PACKAGES).map(([name, { holds, mayImport }]) => {
    return [`\`packages/${name}\``, holds, listOf(mayImport)]
  })
  return markdownTable(['package', 'what it is', 'may use'], rows)
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? '–' : names.join(', ')
}
