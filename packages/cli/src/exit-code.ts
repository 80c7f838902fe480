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
  ok: 'Success, or stopped cleanly.',
  failure: 'Failed.',
  usage: 'Wrong usage, input or configuration. Nothing was done.',
  notFound: 'Not found.',
  refused: 'The service refused: no access, a conflict, not allowed by state or policy, or the call would revert.',
  timedOut: 'Timed out waiting. The transaction continues.',
  transactionFailed: 'A transaction reverted, was cancelled, expired or is stuck.',
  unreachable: 'The service did not respond or is overloaded. Try again later.',
  interrupted: 'Interrupted by a signal.',
}

export const EXIT_CODES_HELP = ['', 'Exit codes:', ...listExitCodes()].join('\n')

function listExitCodes(): readonly string[] {
  const names = Object.keys(EXIT) as readonly (keyof typeof EXIT)[]
  return names.map((name) => `  ${String(EXIT[name]).padEnd(5)}${EXIT_MEANINGS[name]}`)
}
