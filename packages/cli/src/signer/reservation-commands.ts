/** `drover signer reserve …` and the rest of the reservation API, for those who sign themselves. */
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
      ['of', `${address} on chain ${chainId}`],
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
  description: 'borrow nonces to sign with yourself; prints the proof that is needed to act on them, once',
  examples: ['drover signer reserve 0xf39F… --ttl 2m --json'],
  configure: (command) =>
    void command
      .option(
        '--ttl <duration>',
        'how long they stay reserved without being used (default: the reservationTtl of the service)',
        readDuration,
      )
      .option('--count <count>', 'how many', readCount(1, 100), 1)
      .option('--chain-id <id>', 'may be left out where the signer is on one chain', readChainId)
      .option('--request-id <id>', 'the same again gives the same reservations')
      .option('--label <text>', 'what for'),
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
        answer.lockOwner === null ? 'The proof was told with the first answer.' : `proof        ${answer.lockOwner}`,
      ].join('\n\n'),
    )
    return undefined
  },
}

const show: ServiceCommand = {
  name: 'reservation <id>',
  description: 'show a reservation of a nonce',
  examples: ['drover signer reservation 7a1b…'],
  async run({ drover, signal, style, print }, { args }) {
    const answer = await drover.request('GET /v1/nonces/{id}', { params: { id: args[0] ?? '' } }, { signal })
    print(answer, () => presentReservation(answer, style))
    return undefined
  },
}

const use: ServiceCommand = {
  name: 'use-nonce <id>',
  description: 'say by which transaction a borrowed nonce is used',
  examples: ['DROVER_LOCK_OWNER=… drover signer use-nonce 7a1b… --hash 0x5e1d…'],
  configure: (command) => void command.requiredOption('--hash <hash>', 'the transaction that uses it'),
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
  description: 'keep a borrowed nonce for longer',
  examples: ['DROVER_LOCK_OWNER=… drover signer extend-nonce 7a1b… --ttl 5m'],
  configure: (command) => void command.requiredOption('--ttl <duration>', 'from now on', readDuration),
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
  description: 'give a borrowed nonce back, never having signed with it',
  examples: ['DROVER_LOCK_OWNER=… drover signer release-nonce 7a1b…'],
  async run({ drover, signal, style, print, terminal }, { args }) {
    const input = { params: { id: args[0] ?? '' }, body: { lockOwner: readProof(terminal.env) } }
    const answer = await drover.request('POST /v1/nonces/{id}/release', input, { signal })
    print(answer, () => presentReservation(answer, style))
    return undefined
  },
}

/** A secret of whoever borrowed: by environment, as all secrets. An empty one is refused by the service, by its name. */
function readProof(env: Readonly<Record<string, string | undefined>>): string {
  return env.DROVER_LOCK_OWNER ?? ''
}

export const reservationCommands: readonly ServiceCommand[] = [reserve, show, use, extend, release]
