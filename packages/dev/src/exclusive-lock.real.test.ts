import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { tryLock } from './exclusive-lock.ts'
import { describeStart } from './process-watch.ts'

let folder = ''
let file = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-lock-'))
  file = join(folder, 'lock')
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test('one of many gets it, the others learn who has it, and it can be taken again later', async () => {
  const attempts = await Promise.all(Array.from({ length: 20 }, () => tryLock(file)))
  const acquired = attempts.filter((attempt) => attempt.type === 'acquired')
  expect(acquired).toHaveLength(1)
  expect(attempts.filter((attempt) => attempt.type === 'held' && attempt.pid === process.pid)).toHaveLength(19)
  await acquired[0]?.release()
  expect(await readdir(folder)).toEqual([])
  expect((await tryLock(file)).type).toBe('acquired')
})

test.each([
  ['a process that is gone', JSON.stringify({ pid: 99_999_999, start: '' })],
  ['an earlier process with the number of a living one', JSON.stringify({ pid: process.pid, start: 'earlier' })],
  ['nobody, being torn', '{"pid":'],
])('a lock of %s is taken over by exactly one', async (_, content) => {
  await writeFile(file, content)
  const attempts = await Promise.all(Array.from({ length: 20 }, () => tryLock(file)))
  expect(attempts.filter((attempt) => attempt.type === 'acquired')).toHaveLength(1)
})

test('a lock of a living process is respected', async () => {
  await writeFile(file, JSON.stringify({ pid: process.ppid, start: describeStart(process.ppid) }))
  expect(await tryLock(file)).toEqual({ type: 'held', pid: process.ppid })
})
