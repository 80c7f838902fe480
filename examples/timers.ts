/** A timer that calls a contract every few blocks, and one that waits for its event. Prints what they fire, then cancels both. */
import { createDrover } from '@drover/client'

const counter = process.argv[2]
if (counter === undefined) {
  console.error('Give the address of a contract such as contracts/Counter.sol: timers.ts 0x…')
  process.exit(1)
}
const drover = createDrover({
  url: process.env.DROVER_URL ?? 'http://127.0.0.1:4747',
  apiKey: process.env.DROVER_API_KEY,
})

const signer = (await drover.signers.list())[0]
if (signer === undefined) throw new Error('the service has no signers')
const call = { function: 'increase(uint256)', args: ['1'] }
const shared = { from: signer.address, to: counter, call, gasLimit: 100_000 }
const interval = await drover.timers.create({ ...shared, name: 'poke', schedule: { type: 'interval', blocks: 3 } })
const harvest = await drover.timers.create({
  ...shared,
  name: 'harvest',
  schedule: { type: 'watch', contract: counter, event: 'Increased(uint256 by)' },
  // Read at the block that fires: while there is nothing to harvest, nothing is sent.
  when: { function: 'total() returns (uint256)', is: 'gt', value: '0' },
  overlap: 'skip',
})

for (const { id, name } of [interval, harvest]) {
  const fire = await waitForFire(id)
  const transaction = await drover.transactions.get(fire.transactionId ?? '')
  await transaction.wait('confirmed')
  console.log(`${name}: fired at block ${fire.height}, confirmed as ${transaction.id}`)
  await drover.timers.cancel(id)
}

/** The first fire that became a transaction. */
async function waitForFire(id: string) {
  for (;;) {
    for await (const fire of drover.timers.fires(id)) if (fire.transactionId !== null) return fire
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
