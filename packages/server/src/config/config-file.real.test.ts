import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfigFile } from './config-file.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-config-'))
  await writeFile(join(folder, 'drover.config.ts'), 'globalThis.wasRun = true; export default { port: 1 }\n')
})

afterEach(async () => {
  Reflect.deleteProperty(globalThis, 'wasRun')
  await rm(folder, { recursive: true })
})

test('a configuration that is a program is not run just because it exists', async () => {
  await expect(readConfigFile(null, folder)).rejects.toThrow('pass --config-file drover.config.ts')
  expect(globalThis).not.toHaveProperty('wasRun')
  await writeFile(join(folder, 'drover.config.json'), '{"port":2}')
  expect((await readConfigFile(null, folder))?.content).toEqual({ port: 2 })
  expect(globalThis).not.toHaveProperty('wasRun')
})

test('it is run if it is named', async () => {
  expect((await readConfigFile('drover.config.ts', folder))?.content).toEqual({ port: 1 })
  expect(globalThis).toHaveProperty('wasRun', true)
})
