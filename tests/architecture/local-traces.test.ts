/** Nothing of anybody's machine is in the project, and the search for it would find it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findLocalTraces } from '../../scripts/find-local-traces.ts'
import { runProgram } from '../../scripts/run-program.ts'

test('the project contains none', async () => {
  expect(await findLocalTraces(fileURLToPath(new URL('../..', import.meta.url)))).toEqual([])
})

test('planted traces are found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'drover-traces-'))
  try {
    await runProgram('git', ['init', '--quiet'], folder)
    const path = ['', 'home', 'somebody', 'drover'].join('/')
    await writeFile(join(folder, 'notes.md'), `first\nsee "${path}"\n`)
    await writeFile(join(folder, 'lock.json'), `"resolved": "${['http:', '', 'packages.example', 'x'].join('/')}"\n`)
    await writeFile(join(folder, 'clean.md'), 'a work/tmp folder, https://example.org/home/x and "resolved": nothing\n')
    const found = await findLocalTraces(folder)
    expect(found.map((line) => line.split(': ')[0]).sort()).toEqual(['lock.json:1', 'notes.md:2'])
  } finally {
    await rm(folder, { recursive: true })
  }
})
