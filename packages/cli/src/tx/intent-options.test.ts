import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addIntentOptions, type IntentOptions, toRequest } from './intent-options.ts'

function read(...args: string[]) {
  const command = addIntentOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
  command.parse(['--from', '0xab', ...args], { from: 'user' })
  return toRequest(command.opts<IntentOptions>())
}

test('--not-before is a block or a time', () => {
  expect(read().notBefore).toBeUndefined()
  expect(read('--not-before', '1200').notBefore).toEqual({ height: 1_200 })
  const time = '2030-01-01T00:00:00.000Z'
  expect(read('--not-before', '2030-01-01T00:00:00Z').notBefore).toEqual({ time })
  expect(read('--not-before', '2h').notBefore).toEqual({ time: expect.stringMatching(/^\d{4}-.*Z$/) })
  expect(() => read('--not-before', 'soon')).toThrow('duration')
})
