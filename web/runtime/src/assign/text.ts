// Text comparison.

/** Lower-cases the letters A to Z and no other characters, unlike `toLowerCase`. */
export const asciiLowercase = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
