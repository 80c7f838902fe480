import { describe, expect, test } from 'vitest'
import { signerPolicies } from '../signer-policies.ts'
import { duration, printDuration } from './duration.ts'
import { finalityRule } from './finality-rule.ts'
import { keyList } from './key-list.ts'
import { databaseUrl, printHost, rpcUrlList, secretPartsOf } from './service-url.ts'
import { boolean, integer, oneOf, optional, type SettingType, text } from './setting-type.ts'

const KEY = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

function read<T>(type: SettingType<T>, input: unknown): T | 'refused' {
  const parsed = type.parse(input)
  return parsed.ok ? parsed.value : 'refused'
}

describe('integer', () => {
  test.each([
    ['1', 1],
    [' 65535 ', 65_535],
    [7, 7],
    ['0', 'refused'],
    ['65536', 'refused'],
    ['-1', 'refused'],
    ['1.5', 'refused'],
    [1.5, 'refused'],
    ['1e3', 'refused'],
    ['0x10', 'refused'],
    ['', 'refused'],
    [Number.NaN, 'refused'],
    [true, 'refused'],
    [null, 'refused'],
  ])('%j is %j', (input, expected) => {
    expect(read(integer(1, 65_535), input)).toBe(expected)
  })
})

describe('duration', () => {
  test.each([
    ['500ms', 500],
    ['15s', 15_000],
    ['5m', 300_000],
    ['2 h', 7_200_000],
    ['1d', 86_400_000],
    ['0.1s', 100],
    ['1.5s', 1_500],
    ['250', 250],
    [250, 250],
    ['0.5ms', 'refused'],
    ['-5s', 'refused'],
    ['5 weeks', 'refused'],
    ['s', 'refused'],
    [2.5, 'refused'],
    ['2d', 'refused'],
  ])('%j is %j', (input, expected) => {
    expect(read(duration(0, 86_400_000), input)).toBe(expected)
  })

  test.each([0, 1, 500, 1_500, 15_000, 300_000, 86_400_000])('%i ms can be read back from what is printed', (ms) => {
    expect(read(duration(0, 86_400_000), printDuration(ms))).toBe(ms)
  })
})

describe('finality', () => {
  test.each([
    ['12', { type: 'confirmations', count: 12 }],
    [0, { type: 'confirmations', count: 0 }],
    ['safe', { type: 'safe' }],
    ['finalized', { type: 'finalized' }],
    ['latest', 'refused'],
    ['-1', 'refused'],
    [1.5, 'refused'],
  ])('%j is %j', (input, expected) => {
    expect(read(finalityRule, input)).toEqual(expected)
  })
})

describe('choices', () => {
  test.each([
    ['true', true],
    ['0', false],
    [false, false],
    ['yes', 'refused'],
  ])('boolean %j is %j', (input, expected) => expect(read(boolean, input)).toBe(expected))

  test('only the words of the list are taken', () => {
    expect(read(oneOf(['auto', 'legacy']), 'legacy')).toBe('legacy')
    expect(read(oneOf(['auto', 'legacy']), 'Legacy')).toBe('refused')
  })

  test('null is a value only where it is optional', () => {
    expect(read(optional(text, 'nothing'), null)).toBe(null)
    expect(read(text, null)).toBe('refused')
  })
})

describe('service URLs', () => {
  test.each([
    ['postgres://drover:pw@db:5432/drover', true],
    ['postgresql:///drover?host=/var/run/postgresql', true],
    ['https://db', false],
    ['postgres://u:p%2Fss%40w@db/d', true],
    // What follows is no host and no path: it is the rest of a password.
    ['postgres://u:12/34@db/d', false],
    ['postgres://u:12?34@db/d', false],
    ['postgres://u:12#34@db/d', false],
    ['postgres:u:secret@db/d', false],
    ['postgres:/u:secret@db/d', false],
    ['postgres://u:1%@db/d', false],
    ['db:5432', false],
    ['', false],
  ])('database %j: %j', (input, isAccepted) => {
    expect(databaseUrl.parse(input).ok).toBe(isAccepted)
  })

  test.each([
    'postgres://u:p@one:5432,two:5432/d?target_session_attrs=read-write',
    'postgresql://one,two/d',
    'postgres:///d?host=one,two',
    'postgres:///d?target_session_attrs=read-write&host=one%2Ctwo',
  ])('database %j is refused for its hosts', (input) => {
    const result = databaseUrl.parse(input)
    expect(result.ok ? 'accepted' : result.problem).toContain('must name one host')
  })

  test('a comma is no second host where it is part of the password', () => {
    expect(databaseUrl.parse('postgres://u:a,b@db/d').ok).toBe(true)
  })

  test.each([
    ['sslmode=require', 'sslmode=verify-full'],
    ['sslmode=verify-ca&sslrootcert=/a.pem', 'sslmode=verify-full&sslrootcert=/a.pem'],
    ['application_name=x&sslmode=prefer', 'application_name=x&sslmode=verify-full'],
    ['sslmode=disable', 'sslmode=disable'],
    ['uselibpqcompat=true&sslmode=require', 'uselibpqcompat=true&sslmode=require'],
  ])('%s checks the certificate, unless it says otherwise', (given, used) => {
    expect(databaseUrl.parse(`postgres://drover@db/main?${given}`)).toEqual({
      ok: true,
      value: `postgres://drover@db/main?${used}`,
    })
  })

  test('a database URL is shown without its password and options', () => {
    expect(databaseUrl.print('postgres://drover:pass-word@db:5432/main?sslpassword=x')).toBe(
      'postgres://drover:…@db:5432/main?…',
    )
  })

  test('RPC URLs come as text or as a list, and one of them must answer questions', () => {
    expect(read(rpcUrlList, 'https://a, wss://b,')).toEqual(['https://a', 'wss://b'])
    expect(read(rpcUrlList, ['http://a'])).toEqual(['http://a'])
    expect(read(rpcUrlList, 'wss://a')).toBe('refused')
    expect(read(rpcUrlList, 'https://a,ftp://b')).toBe('refused')
    expect(read(rpcUrlList, ',')).toBe('refused')
  })

  test('an RPC URL is shown by its host alone', () => {
    expect(printHost('https://rpc.example:8545')).toBe('https://rpc.example:8545')
    expect(printHost('https://u:p@rpc.example/v3/key')).toBe('https://rpc.example/…')
  })

  test('passwords and keys are secrets, hosts and names are not', () => {
    expect(secretPartsOf('postgres://drover:pass%40word@db/drover')).toEqual(['pass%40word', 'pass@word'])
    expect(secretPartsOf('https://rpc.example/v3/0123456789abcdef0123?token=tok-12345')).toEqual([
      'tok-12345',
      '0123456789abcdef0123',
    ])
    expect(secretPartsOf('http://127.0.0.1:8545')).toEqual([])
    expect(secretPartsOf('http://user-name:p@127.0.0.1:8545')).toContain('dXNlci1uYW1lOnA')
  })
})

describe('signer keys', () => {
  test('with and without 0x, in any case, once each', () => {
    expect(read(keyList, `0x${KEY.toUpperCase()}`)).toEqual([`0x${KEY}`])
    expect(read(keyList, KEY)).toEqual([`0x${KEY}`])
    expect(read(keyList, `${KEY},0x${KEY}`)).toBe('refused')
    expect(read(keyList, KEY.slice(1))).toBe('refused')
    expect(read(keyList, [1])).toBe('refused')
  })

  test('a bad key is named by its place', () => {
    expect(keyList.parse(`${KEY},oops`)).toEqual({ ok: false, problem: expect.stringContaining('number 2 of 2') })
  })

  test('only their number is shown', () => {
    expect(keyList.print([`0x${KEY}`])).toBe('1 key')
  })
})

describe('signer policies', () => {
  test('one preset for all, with exceptions', () => {
    expect(read(signerPolicies, 'fast')).toEqual({ preset: 'fast', byAddress: new Map() })
    const byAddress = new Map([[ADDRESS.toLowerCase(), 'fast']])
    expect(read(signerPolicies, `${ADDRESS}=fast`)).toEqual({ preset: 'stable', byAddress })
    expect(read(signerPolicies, `stable,${ADDRESS}=fast`)).toEqual({ preset: 'stable', byAddress })
  })

  test.each(['quick', '0x12=fast', `${ADDRESS}=quick`, 'fast,stable', `${ADDRESS}=fast,${ADDRESS}=stable`, 'a=b=c'])(
    '%j is refused',
    (input) => expect(read(signerPolicies, input)).toBe('refused'),
  )
})
