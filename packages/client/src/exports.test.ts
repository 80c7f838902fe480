/** What the package offers at run time: a change here is a change for everybody who uses it. */
import { expect, test } from 'vitest'
import * as eip1193 from './eip1193/index.ts'
import * as client from './index.ts'
import * as viem from './viem/index.ts'
import * as webhooks from './webhooks/index.ts'

test.each<[string, object, readonly string[]]>([
  ['@drover/client', client, ['DroverError', 'WAIT_STAGES', 'assessWait', 'createDrover', 'hasPassed', 'toBigInt']],
  ['@drover/client/eip1193', eip1193, ['ProviderRpcError', 'createProvider']],
  ['@drover/client/viem', viem, ['drover', 'toDroverAccount']],
  ['@drover/client/webhooks', webhooks, ['DroverError', 'verifyWebhook']],
])('%s', (_, entry, names) => {
  expect(Object.keys(entry).sort()).toEqual(names)
})
