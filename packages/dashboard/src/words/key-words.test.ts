import { expect, test } from 'vitest'
import { describeKey } from './key-words.ts'

const key = { canSign: true, problem: null, since: null }

test('a key is named by its source and place, once', () => {
  expect(describeKey({ ...key, source: 'keystore', place: '/keys' })).toBe('keystore: /keys')
  expect(describeKey({ ...key, source: 'aws_kms', place: 'AWS KMS, eu-west-1' })).toBe('AWS KMS, eu-west-1')
  expect(describeKey({ ...key, source: 'demo', place: 'drover dev' })).toBe('demo key: drover dev')
})
