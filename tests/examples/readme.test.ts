/** What the client's README and the guides show is what the examples do: each of their programs stands in one of them, word for word. */
import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const README = new URL('../../packages/client/README.md', import.meta.url)
const EXAMPLES = new URL('../../examples/', import.meta.url)

const GUIDES = ['nonce-reservations', 'json-rpc', 'events', 'webhooks', 'library', 'migrate'].map(
  (name) => new URL(`../../docs/${name}.md`, import.meta.url),
)

const readme = await readFile(README, 'utf8')
const guides = await Promise.all(GUIDES.map((guide) => readFile(guide, 'utf8')))
const names = (await readdir(EXAMPLES, { recursive: true })).filter((name) => name.endsWith('.ts'))
const programs = await Promise.all(names.map(async (name) => outdent(await readFile(new URL(name, EXAMPLES), 'utf8'))))
const blocks = [...[readme, ...guides].join('').matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) => outdent(block))

test('the README has programs', () => {
  expect(blocks.length).toBeGreaterThanOrEqual(5)
})

test.each(blocks)('block %# is part of an example', (block) => {
  expect(programs.filter((program) => program.includes(block)).length).toBeGreaterThanOrEqual(1)
})

test('every example is listed', async () => {
  const list = await readFile(new URL('README.md', EXAMPLES), 'utf8')
  for (const name of names) expect(list).toContain(`[${name}](${name})`)
})

/** How deep a piece stands in its program is the one thing that may differ. */
function outdent(text: string): string {
  return text.replaceAll(/^ +/gm, '')
}
