import { expect, test } from 'vitest'
import type { PageRequest } from '../../ports/store.ts'
import type { ApiServices } from '../api-services.ts'
import { readInTurns } from './read-in-turns.ts'

/** A store of numbered rows. */
function create(rows: number, isCrowded: boolean) {
  const asked: number[] = []
  const listTransactions = async (_filter: unknown, { after, limit }: PageRequest) => {
    asked.push(limit)
    const from = Number(after ?? 0)
    const to = Math.min(rows, from + limit)
    return { items: Array.from({ length: to - from }, (_, index) => from + index), next: to < rows ? String(to) : null }
  }
  const services = {
    store: { listTransactions },
    reads: { run: (_tenant: unknown, read: () => Promise<unknown>) => read() },
    work: { isCrowded: () => isCrowded },
  } as unknown as Pick<ApiServices, 'store' | 'reads' | 'work'>
  const list = (page: PageRequest) => readInTurns(services, 'one').listTransactions({}, page)
  return { list, asked }
}

test('a tenant that is alone gets a page from one read', async () => {
  const { list, asked } = create(1_000, false)
  expect((await list({ after: null, limit: 200 })).items).toHaveLength(200)
  expect(asked).toEqual([200])
})

test('among others, a long page is the same but read in parts', async () => {
  const { list, asked } = create(1_000, true)
  const page = await list({ after: '7', limit: 120 })
  expect(page.items).toEqual(Array.from({ length: 120 }, (_, index) => 7 + index))
  expect(page.next).toBe('127')
  expect(asked).toEqual([20, 20, 20, 20, 20, 20])
})

test('the parts end with the list', async () => {
  const { list, asked } = create(60, true)
  const page = await list({ after: null, limit: 200 })
  expect(page.items).toHaveLength(60)
  expect(page.next).toBeNull()
  expect(asked).toEqual([20, 20, 20])
})
