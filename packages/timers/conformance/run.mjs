/**
 * Runs conformance vectors against an implementation: `node run.mjs vectors.json adapter.mjs`.
 *
 * It knows nothing of any kernel. An adapter has `timerIdOf`, `deliverIdOf` and `fireKeyOf`, and `open(chainId)`, which
 * gives a machine with `params(change)`, `set`, `update` and `cancel` (`(caller, height, args)`), and `block(terms)`.
 * Each returns what stands under `expect`, in the same shape. For another language, port this file: it is a loop.
 */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** The differences found, as text; an empty list means conformance. */
export function runVectors(vectors, adapter) {
  if (vectors.format !== 'cip5-timer-vectors' || vectors.version !== 1) {
    throw new Error(`cannot run ${vectors.format} version ${vectors.version}`)
  }
  const problems = []
  const compare = (where, expected, found) => {
    const [a, b] = [canonical(expected), canonical(found)]
    if (a !== b) problems.push(`${where}\n  expected ${a}\n  found    ${b}`)
  }
  for (const [name, list] of [
    ['timerIdOf', vectors.ids.timerIds],
    ['deliverIdOf', vectors.ids.deliverIds],
    ['fireKeyOf', vectors.ids.fireKeys],
  ]) {
    for (const [n, { input, output }] of list.entries()) compare(`${name} ${n}`, output, adapter[name](input))
  }
  for (const history of vectors.histories) {
    const machine = adapter.open(history.chainId)
    for (const [n, step] of history.steps.entries()) {
      const where = `${history.name}, step ${n} (${step.do})`
      if (step.do === 'params') machine.params(step.change)
      else if (step.do === 'block') compare(where, step.expect, machine.block(step))
      else compare(where, step.expect, machine[step.do](step.caller, step.height, step.args))
    }
  }
  return problems
}

/** Text that is equal for equal content: names sorted, absent and undefined alike. */
function canonical(value) {
  return JSON.stringify(value, (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

const [, script, file, adapterFile] = process.argv
if (file !== undefined && adapterFile !== undefined && import.meta.url === pathToFileURL(script).href) {
  const adapter = await import(pathToFileURL(adapterFile).href)
  const problems = runVectors(JSON.parse(readFileSync(file, 'utf8')), adapter)
  for (const problem of problems) console.error(problem)
  console.log(problems.length === 0 ? 'All vectors agree.' : `${problems.length} vectors differ.`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
