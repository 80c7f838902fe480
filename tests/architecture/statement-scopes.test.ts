/** docs/scale.md lists every statement that crosses lanes: one that begins to, or stops, has to change the list. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readStatements } from './statements/read-statements.ts'
import { readSchema, scopeOf } from './statements/scope-of.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const STORE = `${ROOT}/packages/server/src/store/postgres`

const schema = readSchema(readFileSync(`${STORE}/schema.sql`, 'utf8'))
const statements = readStatements(STORE)

test('all statements are read, with the parts of their texts', () => {
  expect(statements.length).toBeGreaterThan(100)
  expect(new Set(statements.map(({ name }) => name)).size).toBe(statements.length)
  expect(statements.filter(({ text }) => !/\b(?:select|insert|update|delete)\b/.test(text))).toEqual([])
  // Its text is put together from another file.
  const { text = '' } = statements.find(({ name }) => name === 'insert_transactions') ?? {}
  expect(text).toContain('update event_head')
})

describe('a statement', () => {
  const typeOf = (text: string) => scopeOf(text, schema).type

  test.each([
    ['lane', 'select from managed_tx where chain_id = $1 and signer = $2'],
    [
      'lane',
      'select from unnest($1::bigint[], $2::bytea[]) with ordinality as k(chain_id, signer, ord) join signer_lease',
    ],
    ['lane', 'select from json_to_recordset($1::json) as i(tx_id uuid, signer bytea) join managed_tx t using (tx_id)'],
    ['shared', 'select from api_key where key_id = $1'],
    ['crossing', 'select from managed_tx where tx_id = $1'],
    ['crossing', 'update signer_lease l set paused = true from managed_tx t where t.signer = l.signer'],
    ['crossing', 'insert into tx_event select from event_head where signer = $1'],
  ])('is %s: %s', (type, text) => {
    expect(typeOf(text)).toBe(type)
  })
})

test('the guide lists exactly those that cross lanes, each once', () => {
  const guide = readFileSync(`${ROOT}/docs/scale.md`, 'utf8')
  const rows =
    guide
      .split('## What crosses lanes')[1]
      ?.split('\n## ')[0]
      ?.match(/^\|.*\|$/gm) ?? []
  const listed = rows.flatMap((row) => [...(row.split('|')[2] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
  const crossing = statements.filter(({ text }) => scopeOf(text, schema).type === 'crossing').map(({ name }) => name)
  expect([...listed].sort()).toEqual(crossing)
})
