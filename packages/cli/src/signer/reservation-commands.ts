/** `drover signer reserve …` and the rest of the reservation API, for users that sign their own transactions. */
import type { Answer } from '@drover/client'
import { readChainId, readCount, readDuration } from '../option-value.ts'
import { presentFields } from '../output/present-fields.ts'
import type { Style } from '../output/style.ts'
import type { ServiceCommand } from '../service/service-command.ts'

type Reservation = Answer<'GET /v1/nonces/{id}'>

function presentReservation(reservation: Reservation, style: Style): string {
  const { id, address, chainId, state, nonce, lockedUntil, hash, result, inclusion } = reservation
  const { holder, tenant, alarm, fillOrderedAt } = reservation
  return presentFields(
    [
      ['reservation', id],
      ['state', state],
      ['nonce', nonce],
      ['signer', `${address} on chain ${chainId}`],
      ['until', lockedUntil],
      ['holder', holder],
      ['tenant', tenant === '' ? null : tenant],
      ['alarm', alarm && `${alarm.cause} since ${alarm.at}`],
      ['fill ordered', fillOrderedAt],
      ['hash', hash],
      ['block', inclusion?.blockNumber],
      ['result', result],
    ],
    style,
  )
}

const reserve: ServiceCommand = {
  name: 'reserve <address>',
  description: 'reserve nonces to sign with yourself; prints the lock owner you need to use them, once',
  examples: ['drover signer reserve 0xf39F… --ttl 2m --json'],
  configure: (command) =>
    void command
      .option('--ttl <duration>', 'how long the reservation lasts (default: the reservationTtl setting)', readDuration)
      .option('--count <count>', 'number of nonces', readCount(1, 100), 1)
      .option('--chain-id <id>', 'the chain; optional if the signer is on only one', readChainId)
      .option('--request-id <id>', 'idempotency key: sending it again returns the same reservations')
      .option('--label <text>', 'name, for people'),
  async run({ drover, signal, style, print }, command) {
    const { ttl, ...rest } = command.opts<{
      ttl?: number
      count: number
      chainId?: number
      requestId?: string
      label?: string
    }>()
    const { count, chainId, requestId, label } = rest
    const body = {
      ...(ttl !== undefined && { ttlMs: ttl }),
      count,
      ...(chainId !== undefined && { chainId }),
      ...(requestId !== undefined && { requestId }),
      ...(label !== undefined && { label }),
    }
    const input = { params: { address: command.args[0] ?? '' }, body }
    const answer = await drover.request('POST /v1/signers/{address}/nonces', input, { signal })
    print(answer, () =>
      [
        ...answer.items.map((item) => presentReservation(item, style)),
        answer.lockOwner === null
          ? 'The lock owner was shown when the nonces were first reserved.'
          : `lock owner   ${answer.lockOwner}`,
      ].join('\n\n'),
    )
    return undefined
  },
}

const show: ServiceCommand = {
  name: 'reservation <id>',
  description: 'show a nonce reservation',
  examples: ['drover signer reservation 7a1b…'],
  async run({ drover, signal, style, print }, { args }) {
    const answer = await drover.request('GET /v1/nonces/{id}', { params: { id: args[0] ?? '' } }, { signal })
    print(answer, () => presentReservation(answer, style))
    return undefined
  },
}

const use: ServiceCommand = {
  name: 'use-nonce <id>',
  description: 'report the transaction that uses a reserved nonce; needs DROVER_LOCK_OWNER',
  examples: ['DROVER_LOCK_OWNER=… drover signer use-nonce 7a1b… --hash 0x5e1d…'],
  configure: (command) => void command.requiredOption('--hash <hash>', 'hash of the transaction'),
  async run({ drover, signal, style, print, terminal }, command) {
    const { hash } = command.opts<{ hash: string }>()
    const input = { params: { id: command.args[0] ?? '' }, body: { lockOwner: readProof(terminal.env), hash } }
    const answer = await drover.request('POST /v1/nonces/{id}/use', input, { signal })
    print(answer, () => presentReservation(answer, style))
    return undefined
  },
}

const extend: ServiceCommand = {
  name: 'extend-nonce <id>',
  description: 'extend a reservation; needs DROVER_LOCK_OWNER',
  examples: ['DROVER_LOCK_OWNER=… drover signer extend-nonce 7a1b… --ttl 5m'],
  configure: (command) => void command.requiredOption('--ttl <duration>', 'how long from now', readDuration),
  async run({ drover, signal, style, print, terminal }, command) {
    const { ttl } = command.opts<{ ttl: number }>()
    const input = { params: { id: command.args[0] ?? '' }, body: { lockOwner: readProof(terminal.env), ttlMs: ttl } }
    const answer = await drover.request('POST /v1/nonces/{id}/extend', input, { signal })
    print(answer, () => presentReservation(answer, style))
    return undefined
  },
}

const release: ServiceCommand = {
  name: 'release-nonce <id>',
  description: 'release a reserved nonce, if you sent nothing with it; needs DROVER_LOCK_OWNER',
  examples: ['DROVER_LOCK_OWNER=… drover signer release-nonce 7a1b…'],
  async run({ drover, signal, style, print, terminal }, { args }) {
    const input = { params: { id: args[0] ?? '' }, body: { lockOwner: readProof(terminal.env) } }
    const answer = await drover.request('POST /v1/nonces/{id}/release', input, { signal })
    print(answer, () => presentReservation(answer, style))
    return undefined
  },
}

/** A secret of whoever reserved: by environment, as all secrets. An empty one is refused by the service, by its name. */
function readProof(env: Readonly<Record<string, string | undefined>>): string {
  return env.DROVER_LOCK_OWNER ?? ''
}

export const reservationCommands: readonly ServiceCommand[] = [reserve, show, use, extend, release]
