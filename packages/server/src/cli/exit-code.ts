/** What the process says at its end. Scripts may rely on these numbers. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export const EXIT_CODES_HELP = `
Exit codes:
  0    done, or stopped in an orderly way
  1    failed
  2    wrong usage or configuration; nothing was done
  130  interrupted before an orderly stop was finished`
