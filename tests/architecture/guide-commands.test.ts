/** Commands that the guides tell an operator to run are complete: they exist, with their arguments and the options they require. */
import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createProcessTerminal } from '../../packages/cli/src/output/terminal.ts'
import { createProgram } from '../../packages/cli/src/run-cli.ts'
import { createRedactor } from '../../packages/server/src/telemetry/redactor.ts'

const DOCS = new URL('../../docs/', import.meta.url)
const program = createProgram({
  terminal: createProcessTerminal(),
  redactor: createRedactor([]),
  finish: () => undefined,
})

/** Every `drover …` in a code span. */
const findCommands = (text: string): readonly string[] =>
  [...text.matchAll(/`(drover [^`]+)`/g)].map(([, command = '']) => command.replaceAll('\\|', '|'))

/** What comes after a pipe is another program's. */
function splitWords(line: string): readonly string[] {
  const [command = ''] = line.split(' | ')
  return [...command.matchAll(/"[^"]*"|\S+/g)].map(([word]) => word).slice(1)
}

interface Parsed {
  readonly command: ReturnType<typeof createProgram>
  readonly given: readonly string[]
  readonly flags: readonly string[]
}

function parseCommand(text: string): Parsed | string {
  let command = program
  let words = [...splitWords(text)]
  for (;;) {
    const child = command.commands.find((each) => each.name() === words[0])
    if (child === undefined) break
    command = child
    words = words.slice(1)
  }
  if (command.commands.length > 0) return `no command ${words[0]}`
  const flags: string[] = []
  const given: string[] = []
  while (words.length > 0) {
    const word = words.shift() ?? ''
    if (!word.startsWith('--')) {
      given.push(word)
      continue
    }
    const option = command.options.find(({ long }) => long === word)
    if (option === undefined) return `no option ${word}`
    if (option.required && words.shift() === undefined) return `${word} without a value`
    flags.push(word)
  }
  return { command, given, flags }
}

function findFault(text: string): string | null {
  const parsed = parseCommand(text)
  if (typeof parsed === 'string') return parsed
  const { command, given, flags } = parsed
  const lacking = command.options.filter(({ mandatory, long }) => mandatory && !flags.includes(long ?? ''))
  if (lacking.length > 0) return `lacks ${lacking.map(({ long }) => long).join(', ')}`
  const needed = command.registeredArguments.filter(({ required }) => required).length
  if (given.length < needed) return `needs ${needed} arguments`
  const isMany = command.registeredArguments.some(({ variadic }) => variadic)
  return given.length > command.registeredArguments.length && !isMany ? `takes no ${given.at(-1)}` : null
}

test.each(['drover tx cancel <id>', 'drover webhook change', 'drover tx lits', 'drover tx list --stat QUEUED'])(
  'an incomplete command is noticed: %s',
  (text) => expect(findFault(text)).not.toBeNull(),
)

test('every command in the runbook can be run as it is written', async () => {
  const commands = findCommands(await readFile(new URL('runbook.md', DOCS), 'utf8'))
  expect(commands.length).toBeGreaterThan(25)
  expect(commands.flatMap((text) => (findFault(text) === null ? [] : [`${text}: ${findFault(text)}`]))).toEqual([])
})

test('every command that a guide mentions exists', async () => {
  const files = (await readdir(DOCS)).filter((file) => file.endsWith('.md'))
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(new URL(file, DOCS), 'utf8')] as const),
  )
  const unknown = texts.flatMap(([file, text]) =>
    findCommands(text).flatMap((command) => {
      const parsed = parseCommand(command)
      return typeof parsed === 'string' && !/^no command (undefined|<|…)|without a value$/.test(parsed)
        ? [`${file}: ${command}: ${parsed}`]
        : []
    }),
  )
  expect(unknown).toEqual([])
})
