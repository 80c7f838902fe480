/**
 * The faults: each starts, lasts and ends. Two never hit the same node, chain or the database at once: two reorgs that
 * overlap would replace more blocks than either of them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Receiver } from './consumers.ts'
import type { DatabasePair } from './database-pair.ts'
import type { LeaseWatch } from './lease-watch.ts'
import type { FaultKind, PlannedFault } from './plan-faults.ts'
import type { StormChain } from './storm-chain.ts'
import type { StormLog } from './storm-log.ts'
import type { StormNode } from './storm-node.ts'

interface FaultPorts {
  readonly nodes: readonly StormNode[]
  readonly chains: readonly StormChain[]
  readonly database: DatabasePair
  readonly receiver: Receiver
  readonly leases: LeaseWatch
  readonly log: StormLog
}

export type Inflict = (fault: PlannedFault) => Promise<void>

export function createFaults({ nodes, chains, database, receiver, leases, log }: FaultPorts): Inflict {
  const locks = new Map<unknown, Promise<void>>()

  /** One at a time. */
  function alone(what: unknown, run: () => Promise<void>): Promise<void> {
    const before = locks.get(what) ?? Promise.resolve()
    const done = before.then(run, run)
    locks.set(what, done)
    return done
  }

  const inflict: Record<FaultKind, (fault: PlannedFault, node: StormNode) => Promise<void>> = {
    kill: ({ forMs }, node) =>
      alone(node, async () => {
        leases.lost(node.id(), 'takeover')
        await node.end('SIGKILL')
        await delay(forMs)
        node.start()
        await node.untilReady()
      }),
    freeze: ({ forMs }, node) =>
      alone(node, async () => {
        leases.lost(node.id(), 'takeover')
        node.signal('SIGSTOP')
        await delay(forMs)
        node.signal('SIGCONT')
        leases.back(node.id())
      }),
    cut_database: ({ forMs }, node) =>
      alone(node, async () => {
        leases.lost(node.id(), 'takeover')
        node.cable.hang()
        await delay(forMs)
        node.cable.resume()
        leases.back(node.id())
      }),
    promote: () =>
      alone(database, async () => {
        await database.promote()
        const { port } = database.primary()
        for (const { cable } of nodes) cable.redirect({ host: '127.0.0.1', port })
        await database.attachStandby()
      }),
    disk_full: ({ forMs }) =>
      alone(database, async () => {
        if (await database.fillDisk(forMs)) log.writesWithoutRoom++
      }),
    rolling_restart: async () => {
      for (const node of nodes)
        await alone(node, async () => {
          leases.lost(node.id(), 'handover')
          await node.end('SIGTERM')
          node.start()
          await node.untilReady()
        })
    },
    reorg: async ({ depth }) => {
      for (const chain of chains) await alone(chain, async () => await chain.reorg?.(depth))
    },
    chain_crash: async () => {
      for (const chain of chains) await alone(chain, async () => await chain.crash?.())
    },
    rpc_down: async ({ forMs }) => {
      const endpoints = chains.flatMap((chain) => chain.endpoints)
      for (const endpoint of endpoints) endpoint.setDown(true)
      await delay(forMs)
      for (const endpoint of endpoints) endpoint.setDown(false)
    },
    receiver_down: async ({ forMs }) => {
      receiver.setDown(true)
      await delay(forMs)
      receiver.setDown(false)
    },
  }

  return async (fault) => {
    const node = nodes[fault.node]
    if (node === undefined) throw new Error(`there is no node ${fault.node}`)
    await inflict[fault.kind](fault, node)
  }
}
