/** Links between guides lead to files and headings that exist, and the README leads to every guide. */
import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { listGuides, readGuide } from './read-commands.ts'

const ROOT = new URL('../../', import.meta.url)
const guides = listGuides()

/** As GitHub makes them. */
function anchorsOf(path: string): ReadonlySet<string> {
  const headings = [...readGuide(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading)
  const anchor = (text: string) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
      .trim()
      .replaceAll(' ', '-')
  return new Set(headings.map(anchor))
}

function linksOf(path: string): readonly { link: string; file: string; anchor: string | undefined }[] {
  return [...readGuide(path).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link = '']) => {
    const [file = '', anchor] = link.split('#')
    return { link, file: file === '' ? path : posix.join(posix.dirname(path), file), anchor }
  })
}

test.each(guides)('%s', (path) => {
  const broken = linksOf(path).filter(
    ({ file, anchor }) =>
      !existsSync(new URL(file, ROOT)) ||
      (anchor !== undefined && file.endsWith('.md') && !anchorsOf(file).has(anchor)),
  )
  expect(broken.map(({ link }) => link)).toEqual([])
})

test('the README leads to every guide, or to one that does', () => {
  const reached = new Set(linksOf('README.md').map(({ file }) => file))
  const further = new Set(
    [...reached]
      .filter((file) => file.endsWith('.md'))
      .flatMap(linksOf)
      .map(({ file }) => file),
  )
  expect(guides.filter((path) => path.startsWith('docs/') && !reached.has(path) && !further.has(path))).toEqual([])
})
