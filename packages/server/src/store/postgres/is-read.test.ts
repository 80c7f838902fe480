import { expect, test } from 'vitest'
import { isRead } from './is-read.ts'

test.each([
  ['select 1', true],
  ['\nselect updated_at, deleted from tx where id = $1', true],
  ['with found as (select 1) select * from found', true],
  ['insert into node values (1)', false],
  ['with gone as (delete from node returning 1) select * from gone', false],
  ['select from signer_lease for key share', false],
  ['select from signer_lease for no key update', false],
  [`select pg_notify('drover', '{}')`, false],
  ['listen drover', false],
])('%j: %s', (text, expected) => {
  expect(isRead(text)).toBe(expected)
  expect(isRead(text)).toBe(expected)
})
