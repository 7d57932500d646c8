/** Codes of ASCII characters, for loops over `charCodeAt` or bytes. */
export const TAB = 9;
export const NEWLINE = 10;
export const CARRIAGE_RETURN = 13;
export const SPACE = 32;
export const QUOTE = 34;
export const HASH = 35;
export const COMMA = 44;
export const SLASH = 47;
export const ZERO = 48;
export const NINE = 57;
export const COLON = 58;
export const QUESTION_MARK = 63;
export const OPEN_BRACKET = 91;
export const BACKSLASH = 92;
export const CLOSE_BRACKET = 93;
export const OPEN_BRACE = 123;
export const CLOSE_BRACE = 125;
