/** Takes a change back. Calling it again does nothing. */
export type Undo = () => void;
