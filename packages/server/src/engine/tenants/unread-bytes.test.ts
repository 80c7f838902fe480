import { expect, test } from 'vitest'
import { createUnreadBytes } from './unread-bytes.ts'

function setUp() {
  const unread = createUnreadBytes({ maxBytes: 100, sharePercent: 50 })
  const ended: string[] = []
  const open = (tenant: string | null, name: string) => unread.open(tenant, () => ended.push(name))
  return { ended, open }
}

test('a tenant that leaves more than its share unread loses the connection with the most', () => {
  const { ended, open } = setUp()
  const [small, large, other] = [open('a', 'small'), open('a', 'large'), open('b', 'other')]
  other.add(45)
  large.add(30)
  small.add(20)
  expect(ended).toEqual([])
  small.add(1)
  expect(ended).toEqual(['large'])
  // Its bytes are gone with it.
  small.add(29)
  expect(ended).toEqual(['large'])
  large.add(50)
  expect([large.bytes(), ended]).toEqual([0, ['large']])
})

test('tenants that leave too much unread together lose the largest connection of all', () => {
  const { ended, open } = setUp()
  for (const name of ['a', 'b', 'c']) open(name, name).add(name === 'b' ? 40 : 30)
  expect(ended).toEqual([])
  open('d', 'd').add(1)
  expect(ended).toEqual(['b'])
})

test('what was read no longer counts, once', () => {
  const { ended, open } = setUp()
  const connection = open('a', 'one')
  const read = connection.add(40)
  read()
  read()
  expect(connection.bytes()).toBe(0)
  connection.add(20)
  connection.add(30)
  expect(ended).toEqual([])
})

test('an answer larger than the limit goes alone', () => {
  const { ended, open } = setUp()
  open('a', 'large').add(500)
  expect(ended).toEqual([])
  open('a', 'second').add(1)
  expect(ended).toEqual(['large'])
})

test('a service without keys has one tenant, which may use everything; a closed connection counts no more', () => {
  const { ended, open } = setUp()
  const [first, second] = [open(null, 'first'), open(null, 'second')]
  const read = first.add(60)
  second.add(40)
  expect(ended).toEqual([])
  first.close()
  read()
  second.add(60)
  expect(ended).toEqual([])
  second.add(1)
  expect(ended).toEqual(['second'])
})
