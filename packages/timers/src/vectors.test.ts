import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const at = (path: string) => new URL(`../${path}`, import.meta.url).href
const vectors = JSON.parse(readFileSync(new URL('../vectors/cip5.json', import.meta.url), 'utf8'))

test('the kernel agrees with the published vectors, through the runner that others follow', async () => {
  const { runVectors } = await import(at('conformance/run.mjs'))
  const adapter = await import(at('conformance/kernel-adapter.mjs'))
  expect(runVectors(vectors, adapter)).toEqual([])
  const steps = vectors.histories.flatMap((history: { steps: object[] }) => history.steps)
  expect(steps.length).toBeGreaterThan(300)
})

test('the runner notices an implementation that differs', async () => {
  const { runVectors } = await import(at('conformance/run.mjs'))
  const adapter = await import(at('conformance/kernel-adapter.mjs'))
  const late = (chainId: string) => {
    const machine = adapter.open(chainId)
    return { ...machine, params: (change: object) => machine.params({ ...change, maxFiresPerBlock: 1 }) }
  }
  expect(runVectors(vectors, { ...adapter, open: late }).length).toBeGreaterThan(5)
  expect(runVectors(vectors, { ...adapter, fireKeyOf: () => '0x' })).toHaveLength(2)
  expect(() => runVectors({ ...vectors, version: 2 }, adapter)).toThrow('version 2')
})
