/** Until the packages are published, guides show only commands that work in a clone: npm would fetch a stranger's package. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const guides = readdirSync(`${ROOT}/docs`).filter((name) => name.endsWith('.md'))
const packages = readdirSync(`${ROOT}/packages`).filter((name) => existsSync(`${ROOT}/packages/${name}/README.md`))
const files = [
  ...['README.md', 'CONTRIBUTING.md', 'examples/README.md'],
  ...guides.map((name) => `docs/${name}`),
  ...packages.map((name) => `packages/${name}/README.md`),
]
const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'))
const FETCHES = /\b(?:npx|npm (?:install|i|exec|add))\b[^\n]*?(?:^|[ @/])drover\b/m

test('the search finds commands that fetch a package of ours', () => {
  for (const command of ['npx drover dev', 'npm install @drover/server', 'npm i -g drover'])
    expect(command).toMatch(FETCHES)
  expect('npm run drover -- start').not.toMatch(FETCHES)
})

test.each(files)('%s', (file) => {
  const text = readFileSync(`${ROOT}/${file}`, 'utf8')
  const commands = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block).join('\n')
  expect(commands).not.toMatch(FETCHES)
  const used = [...text.matchAll(/`npm run (?:--silent )?([\w:-]+)|^npm run ([\w:-]+)/gm)].map(
    ([, a, b]) => a ?? b ?? '',
  )
  expect(used.filter((name) => scripts[name] === undefined)).toEqual([])
})
