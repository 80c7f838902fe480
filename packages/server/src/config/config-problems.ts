/** Reports everything that is wrong with a configuration at once, so five mistakes do not take five starts to find. */
export interface ConfigProblem {
  /** Where it stands: a setting's name, an environment variable, a path in the file. */
  readonly place: string
  /** Continues the sentence after the place. Never contains a secret. */
  readonly message: string
}

export class ConfigProblems extends Error {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ place, message }) => `  ${place}: ${message}`)
    const count = problems.length === 1 ? 'There is a problem' : `There are ${problems.length} problems`
    super([`${count} in the configuration:`, ...lines].join('\n'))
    this.name = 'ConfigProblems'
    this.problems = problems
  }
}
