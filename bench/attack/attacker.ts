/**
 * One tenant that takes whatever it is given, as a process of its own: streams, sockets and waits by the thousand, batches
 * as large as they may be, calls that burn gas, bodies of megabytes, messages and requests without waiting for an answer,
 * timers whose conditions burn gas, and what needs no key. It runs until it is ended. What it is refused is counted, and
 * printed at the end.
 */
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Address, getContractAddress } from 'viem'
import { WebSocket } from 'ws'

interface Target {
  readonly url: string
  readonly token: string
  readonly signer: string
}

const target = JSON.parse(process.env.ATTACK ?? '{}') as Target
const agent = new Agent({ keepAlive: true, maxSockets: 4_000 })
/** `ATTACK_WITHOUT=calls,junk` leaves parts out, to see what each one does. */
const skipped = (process.env.ATTACK_WITHOUT ?? '').split(',')
const counts = new Map<string, number>()

function count(what: string, outcome: number | string): void {
  const key = `${what} ${outcome}`
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

interface Manner {
  /** The response stays open as long as the service keeps it open. */
  readonly hold?: boolean
  readonly withoutKey?: boolean
}

function call(what: string, method: string, path: string, body?: string, manner: Manner = {}): Promise<void> {
  const { hostname, port } = new URL(target.url)
  return new Promise((resolve) => {
    const headers = {
      ...(manner.withoutKey !== true && { authorization: `Bearer ${target.token}` }),
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const sent = request({ hostname, port, agent, method, path, headers }, (answer: IncomingMessage) => {
      count(what, answer.statusCode ?? 0)
      if (manner.hold === true) answer.on('data', () => undefined)
      else answer.resume()
      answer.on('close', resolve)
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      count(what, error.code ?? 'error')
      resolve()
    })
    sent.end(body)
  })
}

/** This many in parallel, forever, with a short pause after each, as a network adds. */
function flood(what: string, atOnce: number, work: () => Promise<void>): void {
  if (skipped.includes(what)) return
  for (let index = 0; index < atOnce; index++) {
    void (async () => {
      for (;;) {
        await work()
        await pause(5)
      }
    })()
  }
}

const intent = { from: target.signer, to: target.signer, value: '1' }
const batch = (): string =>
  JSON.stringify({ transactions: Array.from({ length: 1_000 }, () => ({ ...intent, simulate: false })) })
/** JUMPDEST PUSH1 0 JUMP: loops until its gas is used up. */
const loop = { from: target.signer, data: '0x5b600056', gas: '0x1c9c380' }
const calls = JSON.stringify(
  Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_call', params: [loop, 'latest'] })),
)
/** A deployment whose code loops: to find out what it costs takes a node as long as all of its gas does. */
const burning = (): object => ({ from: target.signer, data: `0x5b600056${counter()}`, gasLimit: '30000000' })
const burningBatch = (): string => JSON.stringify({ transactions: Array.from({ length: 1_000 }, burning) })
const junk = JSON.stringify(Object.fromEntries(Array.from({ length: 300_000 }, (_, index) => [`key${index}`, index])))

let counted = 0
/** Equal calls would be tried once for all. */
function counter(): string {
  counted += 1
  return counted.toString(16).padStart(8, '0')
}

const CHURN = 2_000

/** Opens very many connections, asks something on each, and drops all of them at once: some in order, some by force. */
async function churn(): Promise<void> {
  const { hostname, port } = new URL(target.url)
  const text = `GET /v1/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${target.token}\r\n\r\n`
  const sockets = Array.from({ length: CHURN }, () => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('error', () => count('churn', 'error'))
    socket.once('data', (data) => count('churn', String(data).slice(9, 12)))
    return socket
  })
  await pause(3_000)
  for (const [index, socket] of sockets.entries()) {
    if (index % 2 === 0) socket.destroy()
    else socket.resetAndDestroy()
  }
}

const PIPELINED = 500

/** Sends requests on a connection without waiting for a response. */
async function pipeline(): Promise<void> {
  const { hostname, port } = new URL(target.url)
  const text = `GET /v1/transactions?limit=200 HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${target.token}\r\n\r\n`
  const socket = connect(Number(port), hostname, () => socket.write(text.repeat(PIPELINED)))
  socket.on('error', () => undefined)
  socket.resume()
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  await Promise.race([closed, pause(3_000)])
  count('pipelines', socket.closed ? 'closed' : 'served')
  socket.destroy()
}

const SPAM_MS = 5
const MAX_BUFFERED_BYTES = 1_000_000

/** Sends messages, pings and subscriptions without waiting for an answer. */
async function spam(): Promise<void> {
  const socket = new WebSocket(`${target.url.replace('http', 'ws')}/rpc`, {
    headers: { authorization: `Bearer ${target.token}` },
  })
  const message = (method: string, ...params: readonly string[]) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const send = (): void => {
    if (socket.bufferedAmount > MAX_BUFFERED_BYTES) return
    for (let index = 0; index < 20; index++) {
      socket.send(message('eth_blockNumber'))
      for (let ping = 0; ping < 5; ping++) socket.ping('x')
      socket.send('{')
    }
    socket.send(message('eth_subscribe', 'newPendingTransactions'))
  }
  const timer = setInterval(() => socket.readyState === socket.OPEN && send(), SPAM_MS)
  socket.on('error', () => count('spam', 'refused'))
  await new Promise<void>((resolve) => socket.on('close', () => resolve()))
  clearInterval(timer)
}

/** Deploys code that loops whatever it is asked: PUSH4 (the code) PUSH1 0 MSTORE PUSH1 4 PUSH1 28 RETURN. */
const LOOPING = '0x635b6000566000526004601cf3'
const CONDITIONS = 100

async function setConditions(): Promise<void> {
  if (skipped.includes('conditions')) return
  const to = getContractAddress({ from: target.signer as Address, nonce: 0n })
  await call(
    'conditions',
    'POST',
    '/v1/transactions?wait=mined',
    JSON.stringify({ from: target.signer, data: LOOPING }),
  )
  const when = { function: 'x() returns (uint256)', is: 'gt', value: '0' }
  const schedule = { type: 'interval', blocks: 1 }
  const timer = JSON.stringify({ from: target.signer, to, data: '0x01', gasLimit: '30000', when, schedule })
  for (let made = 0; made < CONDITIONS; made++) await call('conditions', 'POST', '/v1/timers', timer)
}

function attack(): void {
  void setConditions()
  flood('pipelines', 20, pipeline)
  flood('spam', 50, spam)
  flood('documents', 32, () => call('documents', 'GET', '/openapi.json', undefined, { withoutKey: true }))
  flood('churn', 1, churn)
  flood('burning', 16, () => call('burning', 'POST', '/v1/transactions', JSON.stringify(burning())))
  flood('burning', 4, () => call('burning batches', 'POST', '/v1/transactions/batch', burningBatch()))
  flood('batches', 16, () => call('batches', 'POST', '/v1/transactions/batch', batch()))
  flood('single', 16, () => call('single', 'POST', '/v1/transactions', JSON.stringify(intent)))
  flood('calls', 10, () => call('calls', 'POST', '/rpc', calls))
  flood('junk', 40, () => call('junk', 'POST', '/v1/transactions', junk))
  flood('lists', 32, () => call('lists', 'GET', '/v1/transactions?limit=200'))
  flood('streams', 600, () => call('streams', 'GET', '/v1/events/stream?after=0', undefined, { hold: true }))
  flood('waits', 600, () => call('waits', 'POST', '/v1/transactions?wait=confirmed', JSON.stringify(intent)))
  flood('nonces', 4, () => call('nonces', 'POST', `/v1/signers/${target.signer}/nonces`, '{"count":100}'))
  flood('sockets', 600, async () => {
    const socket = new WebSocket(`${target.url.replace('http', 'ws')}/rpc`, {
      headers: { authorization: `Bearer ${target.token}` },
    })
    await new Promise<void>((resolve) => {
      socket.on('open', () => count('sockets', 'open'))
      socket.on('error', () => count('sockets', 'refused'))
      socket.on('close', () => resolve())
    })
  })
}

process.on('SIGTERM', () => {
  process.stdout.write(`${JSON.stringify(Object.fromEntries([...counts].sort()))}\n`)
  process.exit(0)
})
// Loading a program is not part of an attack.
process.once('SIGUSR2', attack)
process.stdout.write('ready\n')
setInterval(() => undefined, 60_000)
