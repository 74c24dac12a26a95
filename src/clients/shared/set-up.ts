/**
 * How many commands, one after the other, may set a new connection up on the permit that it was opened under. Libraries send
 * one to three; whoever sends more without a pause is at work, and takes permits like anybody else.
 */
export const SET_UP_COMMANDS = 8;
