mod har;
