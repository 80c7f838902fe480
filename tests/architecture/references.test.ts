/** The generated reference pages say what the code says. */
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { buildReferences, REFERENCE_FOLDER } from '../../scripts/references.ts'

test.each([...buildReferences()])('%s is up to date (npm run generate)', async (name, text) => {
  expect(await readFile(new URL(name, REFERENCE_FOLDER), 'utf8')).toBe(text)
})
