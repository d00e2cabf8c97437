const char *greeting(int count);
