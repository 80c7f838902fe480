import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { format } from 'node:util'
import { compileFunction } from 'node:vm'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import * as timers from './index.ts'
import { DEFAULT_PARAMS } from './kernel/params/timer-params.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const README = 'packages/timers/README.md'
const GUIDES = [README, 'docs/timers.md']

/** All TypeScript of a guide as one program: each block builds on the ones before it. */
function readProgram(guide: string): ts.SourceFile {
  const blocks = [...readFileSync(ROOT + guide, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
  // Beside the sources, so that the package is found as its users find it.
  return ts.createSourceFile(`${ROOT}packages/timers/src/guide.ts`, blocks.join('\n'), ts.ScriptTarget.ES2023, true)
}

/** What each `console.log` says it prints, in the comment behind it; null where it says nothing. */
function listPromises(program: ts.SourceFile): (string | null)[] {
  return program.statements
    .filter((statement) => statement.getText().startsWith('console.log('))
    .map((statement) => {
      const [comment] = ts.getTrailingCommentRanges(program.text, statement.end) ?? []
      return comment === undefined ? null : program.text.slice(comment.pos + 2, comment.end).trim()
    })
}

function run(program: ts.SourceFile): string[] {
  const { outputText } = ts.transpileModule(program.text, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2023 },
  })
  const lines: string[] = []
  const log = (...values: unknown[]) => lines.push(format(...values).replaceAll(/\s+/g, ' '))
  const main = compileFunction(outputText, ['require', 'exports', 'console'])
  main(() => timers, {}, { log })
  return lines
}

/** `…` stands for what a reader need not see. */
function patternOf(promise: string | null): RegExp {
  const parts = (promise ?? 'a comment that says what is printed').split('…')
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[^\w\s]/g, '\\$&')).join('.*')}$`)
}

function findTypeErrors(program: ts.SourceFile): string[] {
  const { config } = ts.readConfigFile(`${ROOT}tsconfig.base.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const settings = { ...options, noEmit: true, composite: false, incremental: false, noUnusedLocals: false }
  const host = ts.createCompilerHost(settings)
  const { getSourceFile } = host
  host.getSourceFile = (name, ...rest) => (name === program.fileName ? program : getSourceFile(name, ...rest))
  const whole = ts.createProgram([program.fileName], settings, host)
  return whole
    .getSemanticDiagnostics(whole.getSourceFile(program.fileName))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}

describe.each(GUIDES)('%s', (guide) => {
  const program = readProgram(guide)

  test('its code runs and prints what it says', () => {
    const promises = listPromises(program)
    const lines = run(program)
    expect(promises.length).toBeGreaterThan(0)
    expect(lines).toHaveLength(promises.length)
    for (const [index, line] of lines.entries()) expect(line).toMatch(patternOf(promises[index] ?? null))
  })
  test('its code fits the types', () => {
    expect(findTypeErrors(program)).toEqual([])
  })
})

describe('the tables of the package', () => {
  const rows = readFileSync(ROOT + README, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name ?? '')

  test('every parameter is listed once, and every export named exists', () => {
    const names = rows.flatMap(([, first, , , fourth]) => [...namesIn(first), ...namesIn(fourth)])
    const params = Object.keys(DEFAULT_PARAMS)
    expect(names.filter((name) => params.includes(name)).sort()).toEqual(params.sort())
    const types = readFileSync(new URL('./index.ts', import.meta.url), 'utf8').match(/\w+/g)
    const unknown = names.filter((name) => !params.includes(name) && !(name in timers) && !types?.includes(name))
    expect(unknown).toEqual([])
  })
})
