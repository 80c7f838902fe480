/** Everything that is wrong with a configuration, told at once: nobody should find five mistakes in five starts. */
export interface ConfigProblem {
  /** Where it stands: a setting's name, an environment variable, a path in the file. */
  readonly place: string
  /** Goes on after the place. Never holds a secret. */
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
