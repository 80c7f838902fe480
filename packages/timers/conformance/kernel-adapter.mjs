/** The adapter of `@drover/timers` itself, through its public entry: what a port has to offer to the runner. */
import * as kernel from '@drover/timers'

const { DEFAULT_PARAMS } = kernel

export const timerIdOf = (input) => kernel.timerIdOf({ ...input, chainId: BigInt(input.chainId), n: BigInt(input.n) })
export const deliverIdOf = (input) =>
  kernel.deliverIdOf({ ...input, chainId: BigInt(input.chainId), height: BigInt(input.height) })
export const fireKeyOf = ({ timerId, fireSeq }) => kernel.fireKeyOf(timerId, fireSeq)

export function open(chainId) {
  let state = kernel.createTimerState({ chainId: BigInt(chainId) })
  let params = DEFAULT_PARAMS
  const keep = (outcome) => {
    if (outcome.type !== 'refused') state = outcome.state
    const { type, code, timerId, cancelled } = outcome
    return plain({ type, code, timerId, cancelled })
  }
  const by = (caller, height) => ({ caller, height: BigInt(height), params })
  return {
    params(change) {
      params = { ...params, ...Object.fromEntries(Object.entries(change).map(readParam)) }
    },
    set: (caller, height, args) => keep(kernel.setTimer(state, by(caller, height), args)),
    update: (caller, height, args) => keep(kernel.updateTimer(state, by(caller, height), args)),
    cancel: (caller, height, args) => keep(kernel.cancelTimer(state, by(caller, height), args)),
    block({ height, parentStateRoot, modifiedKeys, balances }) {
      const balanceOf = (owner) => BigInt(balances[owner] ?? 0)
      const funds = balances === null ? {} : { funds: { basefeeCycles: 1n, basefeeCells: 1n, balanceOf } }
      const block = { height: BigInt(height), parentStateRoot, modifiedKeys, params, ...funds }
      const delivery = kernel.deliver(state, block)
      const applied = kernel.applyDelivery(state, delivery)
      state = applied.state
      return plain({
        entries: delivery.entries.map((entry) => ({
          ...entry,
          bytes: kernel.encodeEntry(entry),
          digest: kernel.entryDigestOf(entry),
        })),
        evictions: delivery.evictions.map(({ type, timerId }) => ({ type, timerId })),
        carried: delivery.carried.keys,
        dropped: delivery.carried.clipped?.droppedKeys ?? [],
        retired: applied.retired.map(({ timerId, reason }) => ({ timerId, reason })),
        root: kernel.timersRoot(state),
      })
    },
  }
}

/** Large numbers are decimal text in JSON; their type is that of the default. */
function readParam([name, value]) {
  if (typeof DEFAULT_PARAMS[name] === 'bigint') return [name, BigInt(value)]
  return [name, Array.isArray(value) ? value.map(BigInt) : value]
}

function plain(value) {
  return JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each)))
}
