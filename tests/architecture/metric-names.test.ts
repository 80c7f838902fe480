/** Every metric that the code tells is in the table, as the kind and with the labels that it is told with. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findMetric, labelOf, METRICS } from '../../packages/server/src/telemetry/metrics.ts'

const SOURCE = fileURLToPath(new URL('../../packages/server/src', import.meta.url))
/** The labels are seen where they stand in the call itself. */
const CALL = /\.(count|gauge|observe)\(\s*'([\w:]+)'(?:[^\n{;]*\{([^}\n]*)\})?/g
const KIND_OF = { count: 'counter', gauge: 'gauge', observe: 'histogram' } as const

interface Told {
  readonly file: string
  readonly kind: string
  readonly name: string
  readonly labels: readonly string[]
}

async function listTold(): Promise<readonly Told[]> {
  const files = (await readdir(SOURCE, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  const told = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(SOURCE, file), 'utf8')
      return [...text.matchAll(CALL)].map(([, method, name = '', labels = '']) => ({
        file,
        name,
        kind: KIND_OF[method as keyof typeof KIND_OF],
        labels: [...labels.matchAll(/(?:^|,)\s*(\w+)/g)].map(([, field = '']) => labelOf(field)),
      }))
    }),
  )
  return told.flat()
}

test('every metric in the code is in the table', async () => {
  const told = await listTold()
  expect(told.length).toBeGreaterThan(0)
  expect(told.filter(({ name, kind }) => findMetric(name)?.kind !== kind)).toEqual([])
  const hasUnknownLabel = ({ name, labels }: Told) =>
    labels.some((label) => !(label in (findMetric(name)?.labels ?? {})))
  expect(told.some(({ labels }) => labels.length > 0)).toBe(true)
  expect(told.filter(hasUnknownLabel)).toEqual([])
})

test('every metric in the table is in the code', async () => {
  const names = new Set((await listTold()).map(({ name }) => name))
  expect(Object.keys(METRICS).filter((name) => !names.has(name))).toEqual([])
})
