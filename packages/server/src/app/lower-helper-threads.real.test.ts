import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const FILE = new URL('./lower-helper-threads.ts', import.meta.url).href
/** Prints the niceness of the main thread, and that of each other thread. */
const PROGRAM = `
import { readdirSync, readFileSync } from 'node:fs'
import { lowerHelperThreads } from '${FILE}'
lowerHelperThreads()
const threads = readdirSync('/proc/self/task').map(Number)
const niceness = (thread) => Number(readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').split(') ')[1].split(' ')[16])
const others = threads.filter((thread) => thread !== process.pid).map(niceness)
console.log(JSON.stringify({ main: niceness(process.pid), others: [...new Set(others)], threads: threads.length }))
`

test.runIf(process.platform === 'linux')('only the main thread keeps its priority', () => {
  const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', PROGRAM]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(stderr).toBe('')
  const { main, others, threads } = JSON.parse(stdout)
  expect(threads).toBeGreaterThan(4)
  expect(others).toEqual([Math.min(19, main + 10)])
})
