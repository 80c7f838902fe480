export function servesPage(args: readonly string[]): boolean
export function buildPage(folder: string, print: (line: string) => void): void
