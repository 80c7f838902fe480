/** Whoever imports a part of the client gets that part, not all of it. */
import { expect, test } from 'vitest'
import { bundle } from '../setup/bundle.ts'

/** A word that each part has and no other. */
const MARKS = {
  api: '/v1/transactions',
  stream: 'text/event-stream',
  rpc: 'eth_sendTransaction',
  webhooks: 'webhook-signature',
}

test.each<[string, readonly (keyof typeof MARKS)[]]>([
  ["import '@drover/client'", []],
  ["import { toBigInt } from '@drover/client'; console.log(toBigInt('1'))", []],
  ["import { DroverError } from '@drover/client'; console.log(DroverError)", []],
  ["import { createDrover } from '@drover/client'; console.log(createDrover)", ['api', 'stream']],
  ["import { createProvider } from '@drover/client/eip1193'; console.log(createProvider)", ['rpc']],
  ["import { ProviderRpcError } from '@drover/client/eip1193'; console.log(ProviderRpcError)", []],
  ["import { drover } from '@drover/client/viem'; console.log(drover)", ['rpc']],
  ["import { toDroverAccount } from '@drover/client/viem'; console.log(toDroverAccount)", []],
  ["import { verifyWebhook } from '@drover/client/webhooks'; console.log(verifyWebhook)", ['webhooks']],
])('%s', async (program, parts) => {
  const code = await bundle(program)
  const found = Object.entries(MARKS).flatMap(([part, mark]) => (code.includes(mark) ? [part] : []))
  expect(found).toEqual(parts)
})
