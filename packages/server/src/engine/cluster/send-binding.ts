/**
 * A signer whose bytes go to a private send endpoint (`rpcSendUrl`) stays private on every node. The first node that has
 * such an endpoint for it stores this with the signer. From then on a node without one does not run the signer: it would
 * send the bytes to every RPC node. Only an operator undoes it (`rpcSendUrl` `0x…=public`, app/release-sends.ts).
 */
import { sendsPrivatelyStep } from '../../core/explain/next-steps.ts'
import { type Lane, type LaneKey, laneKey } from '../../core/lane/lane.ts'
import type { Signer } from '../../ports/signer.ts'
import type { SignerRecord, Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

/** Whether this node has a send endpoint of its own for the signer of a lane. */
export type SendsPrivately = (lane: Lane) => boolean

export interface SendBinding {
  /** Stores what this node sends privately. Returns the signers as they are then. */
  bind(records: readonly SignerRecord[]): Promise<readonly SignerRecord[]>
  /** False: this node would send its bytes to every RPC node, and must not. */
  mayRun(record: SignerRecord): boolean
}

interface BindingPorts {
  readonly store: Pick<Store, 'setSendsPrivately'>
  readonly signer: Pick<Signer, 'addresses'>
  readonly telemetry: Telemetry
  readonly nodeId: string
  readonly sendsPrivately: SendsPrivately
}

export function createSendBinding({ store, signer, telemetry, nodeId, sendsPrivately }: BindingPorts): SendBinding {
  let reported: ReadonlySet<LaneKey> = new Set()

  async function bind(records: readonly SignerRecord[]): Promise<readonly SignerRecord[]> {
    // Of other keys this node sends nothing.
    const own = new Set(signer.addresses())
    const unbound = records.filter(
      ({ lane, sendsPrivately: isBound }) => isBound !== true && own.has(lane.signer) && sendsPrivately(lane),
    )
    reportBarred(records.filter((record) => own.has(record.lane.signer) && !mayRun(record)))
    if (unbound.length === 0) return records
    const note = { type: 'signer.changed', cause: 'settings', detail: { sendsPrivately: true, node: nodeId } }
    const lanes = unbound.map(({ lane }) => lane)
    await store.setSendsPrivately(lanes, true, note)
    for (const lane of lanes) telemetry.log('info', 'this signer sends privately from now on', { nodeId, ...lane })
    const bound = new Set(lanes.map(laneKey))
    return records.map((record) => (bound.has(laneKey(record.lane)) ? { ...record, sendsPrivately: true } : record))
  }

  function mayRun({ lane, sendsPrivately: isBound }: SignerRecord): boolean {
    return isBound !== true || sendsPrivately(lane)
  }

  function reportBarred(barred: readonly SignerRecord[]): void {
    for (const { lane } of barred) {
      if (reported.has(laneKey(lane))) continue
      const message = `this signer sends privately; node ${nodeId} has no send endpoint for it and leaves it to others`
      telemetry.log('warn', message, { nodeId, ...lane, next: sendsPrivatelyStep(lane.signer) })
    }
    reported = new Set(barred.map(({ lane }) => laneKey(lane)))
  }

  return { bind, mayRun }
}
