/** What the process says at its end. Scripts may rely on these numbers. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  timedOut: 5,
  transactionFailed: 6,
  unreachable: 7,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: 'Done, or stopped in an orderly way.',
  failure: 'Failed.',
  usage: 'Wrong usage, input or configuration; nothing was done.',
  notFound: 'There is no such thing.',
  refused: 'The service refused: no access, a conflict, a state or policy that forbids it, a call that would revert.',
  timedOut: 'Not there in time; what was waited for goes on.',
  transactionFailed: 'A transaction reverted, was cancelled, expired or is stuck.',
  unreachable: 'The service did not answer, or said that it cannot now; the same command may succeed later.',
  interrupted: 'Interrupted by a signal.',
}

export const EXIT_CODES_HELP = ['', 'Exit codes:', ...listExitCodes()].join('\n')

function listExitCodes(): readonly string[] {
  const names = Object.keys(EXIT) as readonly (keyof typeof EXIT)[]
  return names.map((name) => `  ${String(EXIT[name]).padEnd(5)}${EXIT_MEANINGS[name]}`)
}
