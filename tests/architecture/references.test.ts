/** The generated files say what the code says. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { buildReferences, ROOT } from '../../scripts/references.ts'

test.each([...buildReferences()])('%s is up to date (npm run generate)', async (path, text) => {
  expect(await readFile(new URL(path, ROOT), 'utf8')).toBe(text)
})
