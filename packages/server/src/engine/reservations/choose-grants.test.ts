import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shareOf } from '../../core/access/tenant-share.ts'
import { chooseGrants } from './choose-grants.ts'

const states = ['REQUESTED', 'RESERVED', 'USED'] as const
const anyOpen = fc
  .array(
    fc.record({ state: fc.constantFrom(...states), tenant: fc.constantFrom('a', 'b', 'c'), isExpired: fc.boolean() }),
  )
  .map((rows) =>
    rows.map((row, index) => ({
      ...row,
      id: `r${index}`,
      nonce: row.state === 'REQUESTED' ? null : index,
      inclusion: null,
    })),
  )

test('no tenant gets more than its share of the window, and no usable slot stays empty', () => {
  fc.assert(
    fc.property(anyOpen, fc.nat(20), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 100 }), (...given) => {
      const [open, slots, window, sharePercent] = given
      const chosen = chooseGrants(open, { slots, window, sharePercent, slotHeldUntil: 'mined', served: [] })
      const share = shareOf(window, sharePercent)
      expect(chosen.length).toBeLessThanOrEqual(slots)
      const heldAfter = (tenant: string) =>
        open.filter((each) => each.tenant === tenant && (each.nonce !== null || chosen.includes(each.id))).length
      for (const { id, tenant, state, isExpired } of open) {
        if (chosen.includes(id)) {
          expect([state, isExpired]).toEqual(['REQUESTED', false])
          expect(heldAfter(tenant)).toBeLessThanOrEqual(share)
        } else if (state === 'REQUESTED' && !isExpired && chosen.length < slots) {
          expect(heldAfter(tenant)).toBeGreaterThanOrEqual(share)
        }
      }
    }),
  )
})

test('the only tenant of a service without keys may have all', () => {
  const asked = [0, 1, 2].map((index) => ({
    ...({ id: `r${index}`, state: 'REQUESTED', isExpired: false, tenant: '', nonce: null, inclusion: null } as const),
  }))
  expect(
    chooseGrants(asked, { slots: 3, window: 3, sharePercent: 50, slotHeldUntil: 'final', served: [] }),
  ).toHaveLength(3)
})

test('tenants take turns; within a tenant, the oldest request is first', () => {
  const asked = ['a', 'a', 'a', 'b', 'c', 'b'].map((tenant, index) => ({
    ...({
      id: `${tenant}${index}`,
      state: 'REQUESTED',
      isExpired: false,
      tenant,
      nonce: null,
      inclusion: null,
    } as const),
  }))
  const room = { slots: 5, window: 10, sharePercent: 50, slotHeldUntil: 'mined' } as const
  expect(chooseGrants(asked, { ...room, served: [] })).toEqual(['a0', 'b3', 'c4', 'a1', 'b5'])
  expect(chooseGrants(asked, { ...room, slots: 3, served: ['c', 'a'] })).toEqual(['b3', 'c4', 'a0'])
})

test('without room nothing is looked up, and with room the tenants that were served are read once', () => {
  const tenants = Array.from({ length: 1_000 }, (_, index) => `tenant-${index}`)
  const asked = tenants.map((tenant, index) => ({
    ...({ id: `r${index}`, state: 'REQUESTED', isExpired: false, tenant, nonce: null, inclusion: null } as const),
  }))
  let reads = 0
  const served = new Proxy(
    tenants.map((tenant) => `other-${tenant}`),
    {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads++
        return Reflect.get(target, key)
      },
    },
  )
  const room = { window: 10, sharePercent: 50, slotHeldUntil: 'mined', served } as const
  expect(chooseGrants(asked, { ...room, slots: 0 })).toEqual([])
  expect(reads).toBe(0)
  expect(chooseGrants(asked, { ...room, slots: 2 })).toEqual(['r0', 'r1'])
  expect(reads).toBeLessThanOrEqual(tenants.length)
})
