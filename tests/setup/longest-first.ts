/**
 * The order of test files: the longest first, so that no long file is left to run alone at the end. Vitest knows
 * durations only after a first run; a fresh clone has none, and takes the largest files first instead.
 */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Seconds on two cores. Files under ten seconds are not listed: they fill the gaps at the end. */
export const SECONDS: Readonly<Record<string, number>> = {
  'tests/cluster/storm.test.ts': 165,
  'tests/faults/broken-replies.test.ts': 121,
  'tests/faults/geth-pool.test.ts': 113,
  'tests/faults/reorg.test.ts': 69,
  'tests/faults/rate-limits.test.ts': 64,
  'tests/examples/examples.test.ts': 61,
  'packages/dev/src/postgres/embedded-postgres.real.test.ts': 52,
  'tests/packages/packages.test.ts': 50,
  'tests/e2e/json-rpc-web3-py.test.ts': 47,
  'tests/simulation/planted-bugs.test.ts': 47,
  'tests/faults/stale-reads.test.ts': 44,
  'packages/simulator/src/seeds.test.ts': 42,
  'tests/faults/lost-answers.test.ts': 41,
  'tests/faults/fees.test.ts': 38,
  'tests/faults/chain-health.test.ts': 37,
  'tests/faults/foreign-nonce.test.ts': 32,
  'tests/e2e/tenants.test.ts': 32,
  'tests/fuzz/fuzz.test.ts': 32,
  'tests/e2e/rules.test.ts': 35,
  'tests/e2e/keys.test.ts': 35,
  'tests/faults/hidden-refusals.test.ts': 31,
  'tests/cluster/rules.test.ts': 25,
  'tests/cluster/keys.test.ts': 20,
  'tests/e2e/keystore-start.test.ts': 15,
  'tests/examples/examples-with-keys.test.ts': 30,
  'tests/cluster/reservations.test.ts': 29,
  'tests/faults/several-nodes.test.ts': 28,
  'packages/client/src/client.real.test.ts': 28,
  'tests/e2e/cli-batch.test.ts': 27,
  'tests/e2e/cli.test.ts': 26,
  'tests/browser/three-am.test.ts': 26,
  'tests/faults/fast-fees.test.ts': 24,
  'tests/faults/endpoints.test.ts': 24,
  'tests/cluster/events-resume.test.ts': 24,
  'tests/cluster/fast-throughput.test.ts': 24,
  'tests/faults/poor-endpoints.test.ts': 24,
  'tests/cluster/kill.test.ts': 24,
  'tests/e2e/dev.test.ts': 23,
  'tests/e2e/follow-transactions.test.ts': 22,
  'packages/server/src/chain/evm-chain.real.test.ts': 22,
  'tests/faults/fast-gaps.test.ts': 21,
  'tests/cluster/cost.test.ts': 20,
  'tests/e2e/reservations.test.ts': 19,
  'tests/cluster/freeze.test.ts': 19,
  'tests/faults/chain-away.test.ts': 18,
  'tests/faults/floods.test.ts': 18,
  'tests/e2e/stable.test.ts': 18,
  'packages/server/src/signer/kits.test.ts': 17,
  'tests/faults/lost-mempool.test.ts': 17,
  'tests/e2e/library.test.ts': 16,
  'packages/client/src/json-rpc.real.test.ts': 17,
  'tests/e2e/json-rpc-managed.test.ts': 17,
  'packages/server/src/engine/refusals.property.test.ts': 16,
  'tests/faults/stuck.test.ts': 16,
  'tests/architecture/import-table.test.ts': 16,
  'tests/cluster/timers.test.ts': 16,
  'tests/faults/refusals.test.ts': 15,
  'tests/browser/client.test.ts': 15,
  'tests/faults/preconfirmation.test.ts': 14,
  'tests/e2e/access.test.ts': 14,
  'packages/server/src/chain/rpc-faults.real.test.ts': 13,
  'tests/e2e/json-rpc-nonces.test.ts': 13,
  'tests/e2e/json-rpc-ethers.test.ts': 13,
  'tests/faults/timers-reorg.test.ts': 12,
  'tests/e2e/retention.test.ts': 12,
  'tests/e2e/restore.test.ts': 12,
  'tests/e2e/pgbouncer.test.ts': 10,
  'tests/cluster/upgrade.test.ts': 20,
  'tests/e2e/doctor-finds.test.ts': 10,
  'tests/e2e/webhooks.test.ts': 12,
  'tests/e2e/secrets.test.ts': 12,
  'tests/cluster/webhooks.test.ts': 12,
  'tests/e2e/json-rpc-calls.test.ts': 11,
  'tests/e2e/timers.test.ts': 11,
  'packages/cli/src/main.real.test.ts': 11,
  'tests/e2e/json-rpc-viem.test.ts': 11,
  'tests/e2e/json-rpc-cast.test.ts': 11,
  'tests/browser/key-prompt.test.ts': 11,
  'packages/server/src/engine/engine.property.test.ts': 10,
  'tests/faults/delegation.test.ts': 10,
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    const secondsOf = ({ moduleId }: TestSpecification) => SECONDS[relative(this.ctx.config.root, moduleId)] ?? 0
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder
    // Files of `unit` share their process, so files of another project must not come between them.
    const isShared = ({ project }: TestSpecification) => (project.config.isolate ? 1 : 0)
    return bySize.sort((a, b) => groupOf(a) - groupOf(b) || isShared(a) - isShared(b) || secondsOf(b) - secondsOf(a))
  }
}
