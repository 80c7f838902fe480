import { beforeEach, expect, test } from 'vitest'
import { createKeyHolder, type KeyStatus } from './key-holder.ts'

let stored: Map<string, string>
let sent: (string | null)[]
let good: string

beforeEach(() => {
  stored = new Map()
  sent = []
  good = 'drv_good'
})

const storage = {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => void stored.set(name, value),
  removeItem: (name: string) => void stored.delete(name),
}

function createHolder(release: Promise<void> = Promise.resolve()) {
  const statuses: KeyStatus[] = []
  const holder = createKeyHolder({
    storage,
    fetch: async (_, init) => {
      const given = new Headers(init?.headers).get('authorization')
      sent.push(given)
      await release
      if (given === `Bearer ${good}`) return new Response('{}')
      return new Response(JSON.stringify({ detail: 'This API key is unknown.' }), { status: 401 })
    },
  })
  holder.onStatus((status) => statuses.push(status))
  return { holder, statuses }
}

test('a key is asked for when it is needed, kept for the tab, and sent from then on beside other headers', async () => {
  const { holder, statuses } = createHolder()
  expect((await holder.fetch('/v1/chains')).status).toBe(401)
  expect(statuses).toEqual([{ type: 'needed', reason: null }])
  holder.give(`  ${good}\n`)
  expect((await holder.fetch('/v1/chains', { headers: { 'idempotency-key': 'k' } })).status).toBe(200)
  expect(statuses.at(-1)).toEqual({ type: 'settled' })
  expect(sent).toEqual([null, `Bearer ${good}`])
  expect([...stored.values()]).toEqual([good])
  expect((await createHolder().holder.fetch('/v1/chains')).status).toBe(200)
})

test('a refused API key is forgotten, and the reason is shown', async () => {
  const { holder, statuses } = createHolder()
  holder.give('drv_bad')
  await holder.fetch('/v1/chains')
  expect(holder.status()).toEqual({ type: 'needed', reason: 'This API key is unknown.' })
  await holder.fetch('/v1/chains')
  expect(statuses.at(-1)).toEqual({ type: 'needed', reason: 'This API key is unknown.' })
  expect(stored.size).toBe(0)
})

test('a late answer to the key before says nothing about the new one', async () => {
  let release = (): void => {}
  const { holder } = createHolder(
    new Promise((resolve) => {
      release = resolve
    }),
  )
  holder.give('drv_bad')
  const late = holder.fetch('/v1/chains')
  holder.give(good)
  release()
  expect((await late).status).toBe(401)
  expect(holder.status()).toEqual({ type: 'settled' })
  expect([...stored.values()]).toEqual([good])
})
